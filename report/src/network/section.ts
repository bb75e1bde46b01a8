// SPDX-License-Identifier: Apache-2.0
// The network in time: pictures of runs, and the time they share.
import type { Report } from '../data';
import { chooser, download, element, fileName } from '../dom';
import { bytes, duration, instant } from '../format';
import { theme } from '../theme';
import { circleColor, queueRadius, type Scale } from './draw';
import { Plan } from './layout';
import { filmOf, Picture, type Film } from './picture';
import { Strip } from './strip';

const wholeRunSeconds = 20;
const speeds = [0.25, 0.5, 1, 2, 4];

/** Totals of a film by interval: what the strip draws. */
function totalsOf(film: Film): { queued: number[]; paused: number[]; tank: number } {
  const { timeline, plan } = film;
  const queued: number[] = [];
  const paused: number[] = [];
  let tank = 0;
  for (let interval = 0; interval < timeline.intervals; ++interval) {
    const bySwitch = new Float64Array(plan.network.nodes.length);
    let held = 0;
    plan.links.forEach(({ from }, link) => {
      bySwitch[from] = (bySwitch[from] ?? 0) + timeline.queued(link, interval);
      held += timeline.paused(link, interval);
    });
    queued.push(bySwitch.reduce((a, b) => a + b, 0));
    paused.push(held);
    for (const bytesQueued of bySwitch) tank = Math.max(tank, bytesQueued);
  }
  return { queued, paused, tank };
}

export class NetworkSection {
  private readonly pictures = element('div', { class: 'pictures' });
  private readonly slider = element('input', { type: 'range', min: 0, 'aria-label': 'Time' });
  private readonly clock = element('output', { 'aria-live': 'off' });
  private readonly playButton = element('button', { type: 'button', class: 'play' }, '▶ Play');
  private readonly legend = element('div', { class: 'legend' });
  private readonly strip: Strip;
  private readonly films: Film[] = [];
  private readonly totals = new Map<Film, ReturnType<typeof totalsOf>>();
  private readonly scale: Scale = { queue: 1, tank: 1 };
  private shown: { film: Film; picture: Picture }[] = [];
  private chosen: (Film | null)[] = [];
  private speed = 1;
  private us = 0;
  private stepUs = 1;
  private lastUs = 1;
  private playing = false;

  constructor(parent: HTMLElement, report: Report) {
    const plans = report.networks.map((network) => new Plan(network));
    report.runs.forEach((_, run) => {
      const film = filmOf(report, run, plans);
      if (film) this.films.push(film);
    });
    this.strip = new Strip((share) => this.seek(share * this.lastUs));
    if (this.films.length === 0) {
      parent.append(element('p', { class: 'note' }, 'No run kept a timeline of its links ([measure] timeline = false).'));
      return;
    }
    for (const film of this.films) {
      const totals = totalsOf(film);
      this.totals.set(film, totals);
      this.scale.queue = Math.max(this.scale.queue, film.timeline.largestQueue());
      this.scale.tank = Math.max(this.scale.tank, totals.tank);
      this.lastUs = Math.max(this.lastUs, film.run.simulatedUs);
    }
    this.stepUs = Math.min(...this.films.map((film) => film.timeline.intervalUs));
    this.slider.max = String(Math.ceil(this.lastUs / this.stepUs) - 1);
    this.slider.step = '1';
    this.build(parent, report);
    this.chosen = [this.films[0] ?? null, null];
    this.rebuild();
    this.seek(this.fullestMoment());
  }

  /** In other colours. */
  update(): void {
    if (this.films.length === 0) return;
    this.drawLegend();
    this.drawStrip();
    this.seek(this.us);
  }

  private build(parent: HTMLElement, report: Report): void {
    const choices = this.films.map((film) => ({ value: film as Film | null, label: film.run.label }));
    const choose = (place: number) => (film: Film | null) => {
      this.chosen[place] = film;
      this.rebuild();
      this.seek(this.us);
    };
    const controls = element('div', { class: 'controls' }, chooser('Run', choices, 0, choose(0)));
    if (this.films.length > 1) controls.append(chooser('beside it', [{ value: null, label: 'none' }, ...choices], 0, choose(1)));
    const svg = element('button', { type: 'button', 'aria-label': 'Save the network as SVG' }, 'SVG');
    svg.addEventListener('click', () => this.exportSvg(report));
    controls.append(element('div', { class: 'buttons' }, svg));

    const speed = chooser('Speed', speeds.map((value) => ({ value, label: `${value}×` })), speeds.indexOf(1), (value) => (this.speed = value));
    this.clock.style.minWidth = `${instant(this.lastUs, this.stepUs).length}ch`;
    const time = element('div', { class: 'time' }, this.strip.root, this.slider, element('div', { class: 'row' }, this.playButton, this.clock, speed, element('span', { class: 'note' }, `A step is ${duration(this.stepUs)}.`)));
    this.slider.addEventListener('input', () => {
      this.stop();
      this.seek((Number(this.slider.value) + 0.5) * this.stepUs);
    });
    this.playButton.addEventListener('click', () => (this.playing ? this.stop() : this.play()));
    parent.append(controls, this.legend, this.pictures, time);
    this.drawLegend();
  }

  private rebuild(): void {
    this.shown = this.chosen.flatMap((film) => (film ? [{ film, picture: new Picture(film, this.scale) }] : []));
    this.pictures.style.setProperty('--columns', String(this.shown.length > 1 && innerWidth >= 900 ? 2 : 1));
    this.pictures.replaceChildren(...this.shown.map(({ picture }) => picture.root));
    this.drawStrip();
  }

  private drawStrip(): void {
    const film = this.chosen[0];
    const totals = film && this.totals.get(film);
    if (film && totals) this.strip.draw(totals.queued, totals.paused, film.timeline.intervalUs, this.lastUs, theme());
  }

  /** Where the first run pauses most, or holds most: what a reader looks for. */
  private fullestMoment(): number {
    const film = this.films[0];
    const totals = film && this.totals.get(film);
    if (!film || !totals) return 0;
    const told = totals.paused.some((value) => value > 0) ? totals.paused : totals.queued;
    const most = told.reduce((best, value, i) => (value > (told[best] ?? 0) ? i : best), 0);
    return (most + 0.5) * film.timeline.intervalUs;
  }

  private seek(us: number): void {
    this.us = Math.max(0, Math.min(us, this.lastUs));
    const step = Math.min(Number(this.slider.max), Math.floor(this.us / this.stepUs));
    this.slider.value = String(step);
    const text = instant(this.us, this.stepUs);
    this.slider.setAttribute('aria-valuetext', text);
    this.clock.textContent = text;
    this.strip.mark(this.us / this.lastUs);
    for (const { picture } of this.shown) picture.show(this.us);
  }

  private play(): void {
    if (this.us >= this.lastUs - this.stepUs) this.seek(0);
    this.playing = true;
    this.playButton.textContent = '❚❚ Pause';
    let before = performance.now();
    const frame = (now: number) => {
      if (!this.playing) return;
      this.seek(this.us + ((now - before) / 1000 / wholeRunSeconds) * this.speed * this.lastUs);
      before = now;
      if (this.us >= this.lastUs) return this.stop();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  private stop(): void {
    this.playing = false;
    this.playButton.textContent = '▶ Play';
  }

  private exportSvg(report: Report): void {
    for (const { film, picture } of this.shown) {
      const title = `${report.title}: ${film.run.label} at ${instant(this.us, this.stepUs)}`;
      download(`network_${fileName(film.run.label)}.svg`, picture.svg(title), 'image/svg+xml');
    }
  }

  private drawLegend(): void {
    const colors = theme();
    const gradient = `linear-gradient(to right, ${colors.load.join(', ')})`;
    const load = element('span', {}, 'link load 0', element('i', { style: `width:90px;height:8px;border-radius:4px;background:${gradient}` }), '100 %');
    const circles = [this.scale.queue / 16, this.scale.queue].map((bytesQueued) => {
      const size = 2 * queueRadius(bytesQueued, this.scale);
      return element('span', {}, element('i', { style: `width:${size}px;height:${size}px;border-radius:50%;background:${colors.queue}` }), bytes(bytesQueued));
    });
    const tank = element('span', {}, element('i', { style: `width:30px;height:13px;border:1px solid ${colors.nodeLine};border-radius:3px;background:linear-gradient(to top, ${colors.tank} 50%, transparent 0)` }), `switch, half of ${bytes(this.scale.tank)} queued`);
    const pause = element('span', {}, element('b', { style: `color:${colors.pause};font-size:17px;line-height:1` }, '⟵'), 'pause: from who pauses to who is paused');
    const waits = [false, true]
      .filter((deadlock) => this.films.some((film) => film.circles.some((at) => at.deadlock === deadlock)))
      .map((deadlock) => {
        const mark = element('i', { style: `width:26px;height:8px;opacity:0.35;background:${circleColor({ deadlock }, colors)}` });
        return element('span', {}, mark, deadlock ? 'deadlocked: each waits for the next' : 'cyclic buffer dependency');
      });
    this.legend.replaceChildren(load, element('span', {}, 'queue at a port', ...circles), tank, pause, ...waits);
  }
}
