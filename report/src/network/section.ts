// SPDX-License-Identifier: Apache-2.0
// The network over time: pictures of runs with a common time.
import type { Report } from '../data';
import { chooser, download, element, fileName, type Chooser } from '../dom';
import { bytes, duration, instant } from '../format';
import { theme } from '../theme';
import { circleColor, queueRadius, type Scale } from './draw';
import { Plan } from './layout';
import { filmOf, intervalAt, Picture, type Film } from './picture';
import { namedNodes } from './filter';
import { Strip } from './strip';
import { timeInAddress, timeToAddress, View } from './view';

const wholeRunSeconds = 20;
const speeds = [0.25, 0.5, 1, 2, 4];

/** Totals of a film by interval, over all links or some: the data of the strip. */
function totalsOf(film: Film, of: ReadonlySet<number> | null = null): { queued: number[]; paused: number[]; tank: number } {
  const { timeline, plan } = film;
  const queued: number[] = [];
  const paused: number[] = [];
  let tank = 0;
  for (let interval = 0; interval < timeline.intervals; ++interval) {
    const bySwitch = new Float64Array(plan.network.nodes.length);
    let held = 0;
    plan.links.forEach(({ from }, link) => {
      if (of && !of.has(link)) return;
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
  private readonly view = new View(() => this.looked());
  private readonly report: Report;
  private run: Chooser<Film | null> | undefined;
  private beside: Chooser<Film | null> | undefined;
  private speed: Chooser<number> | undefined;
  private readonly filter = element('input', { type: 'search', placeholder: 'tor0..tor7, spine1, tor1*', 'aria-label': 'Show only these nodes' });
  private readonly find = element('input', { type: 'search', list: 'weir-nodes', placeholder: 'a name', 'aria-label': 'Select a node' });
  private readonly viewNote = element('span', { class: 'note', role: 'status' });
  private us = 0;
  private stepUs = 1;
  private lastUs = 1;
  private playing = false;

  constructor(parent: HTMLElement, report: Report) {
    this.report = report;
    const plans = report.networks.map((network) => new Plan(network));
    report.runs.forEach((_, run) => {
      const film = filmOf(report, run, plans);
      if (film) this.films.push(film);
    });
    this.strip = new Strip((share) => this.moveTo(share * this.lastUs));
    if (this.films.length === 0) {
      parent.append(element('p', { class: 'note' }, 'No run recorded a timeline of its links ([measure] timeline = false).'));
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
    this.rebuild();
    this.seek(timeInAddress() ?? this.fullestMoment());
  }

  /** Redraws in other colours. */
  update(): void {
    if (this.films.length === 0) return;
    this.drawLegend();
    this.drawStrip();
    this.seek(this.us);
  }

  private build(parent: HTMLElement, report: Report): void {
    const choices = this.films.map((film) => ({ value: film as Film | null, label: film.run.label }));
    const choose = () => {
      this.rebuild();
      this.seek(this.us);
    };
    this.run = chooser('run', 'Run', choices, 0, choose);
    const controls = element('div', { class: 'controls' }, this.run.root);
    if (this.films.length > 1) {
      this.beside = chooser('beside', 'beside it', [{ value: null, label: 'none' }, ...choices], 0, choose);
      controls.append(this.beside.root);
    }
    const svg = element('button', { type: 'button', 'aria-label': 'Save the network as SVG' }, 'SVG');
    svg.addEventListener('click', () => this.exportSvg(report));
    controls.append(element('div', { class: 'buttons' }, svg));

    this.speed = chooser('speed', 'Speed', speeds.map((value) => ({ value, label: `${value}×` })), speeds.indexOf(1), () => undefined);
    this.clock.style.minWidth = `${instant(this.lastUs, this.stepUs).length}ch`;
    const time = element('div', { class: 'time' }, this.strip.root, this.slider, element('div', { class: 'row' }, this.playButton, this.clock, this.speed.root, element('span', { class: 'note' }, `A step is ${duration(this.stepUs)}.`)));
    this.slider.addEventListener('input', () => {
      this.stop();
      this.moveTo((Number(this.slider.value) + 0.5) * this.stepUs);
    });
    this.playButton.addEventListener('click', () => (this.playing ? this.stop() : this.play()));
    parent.append(controls, this.viewControls(), this.legend, this.pictures, time);
    this.drawLegend();
  }

  /** Zoom, filter and selection. */
  private viewControls(): HTMLElement {
    const { view, filter, find } = this;
    const button = (text: string, label: string, pressed: () => void): HTMLElement => {
      const made = element('button', { type: 'button', 'aria-label': label, title: label }, text);
      made.addEventListener('click', pressed);
      return made;
    };
    const zoom = (factor: number) => () => view.lookAt(view.zoom * factor, view.x, view.y);
    filter.value = view.filter;
    find.value = view.chosen;
    filter.addEventListener('input', () => view.setFilter(filter.value.trim()));
    find.addEventListener('change', () => view.choose(find.value.trim()));
    const names = [...new Set(this.report.networks.flatMap(({ nodes }) => nodes.map(([name]) => name)))];
    return element(
      'div',
      { class: 'controls view' },
      element('label', { class: 'chooser' }, element('span', {}, 'Show'), filter),
      button('busiest', 'Show the switches with the longest queues and most pauses at this time', () => this.showBusiest()),
      element('label', { class: 'chooser' }, element('span', {}, 'Select'), find),
      element('datalist', { id: 'weir-nodes' }, ...names.map((value) => element('option', { value }))),
      element('div', { class: 'buttons' }, button('+', 'Zoom in', zoom(1.6)), button('−', 'Zoom out', zoom(1 / 1.6)), button('All', 'Show all of the network', () => this.showAll())),
      this.viewNote,
    );
  }

  private showAll(): void {
    const { view } = this;
    this.filter.value = '';
    this.find.value = '';
    view.lookAt(1, 0.5, 0.5, false);
    view.choose('');
    view.setFilter('');
  }

  /** The eight lowest switches with the most queued bytes or pauses at this moment. */
  private showBusiest(): void {
    const film = this.run?.value();
    if (!film) return;
    const { plan, timeline } = film;
    const interval = intervalAt(film, this.us);
    const lowest = Math.min(...plan.switches.map((node) => plan.tier(node)));
    const weight = (node: number): number =>
      (plan.leaving[node] ?? []).reduce((sum, link) => sum + timeline.queued(link, interval) + 1e3 * (timeline.paused(link, interval) + timeline.paused(plan.back[link] ?? -1, interval)), 0);
    const busiest = plan.switches.filter((node) => plan.tier(node) === lowest).sort((a, b) => weight(b) - weight(a)).slice(0, 8);
    this.filter.value = busiest.map((node) => plan.name(node)).join(' ');
    this.view.setFilter(this.filter.value);
  }

  /** Called after the view changed. */
  private looked(): void {
    for (const { picture } of this.shown) picture.look();
    this.find.value = this.view.chosen;
    const plan = this.run?.value()?.plan;
    const { filter, zoom } = this.view;
    const unknown = filter !== '' && plan !== undefined && namedNodes(plan, filter).length === 0;
    this.viewNote.textContent = unknown ? `No node matches "${filter}": all are shown.` : zoom > 1 ? `${Math.round(zoom * 10) / 10}×; drag to move` : '';
    this.drawStrip();
  }

  private rebuild(): void {
    const chosen = [this.run?.value() ?? null, this.beside?.value() ?? null];
    this.shown = chosen.flatMap((film) => (film ? [{ film, picture: new Picture(film, this.scale, this.view) }] : []));
    this.pictures.style.setProperty('--columns', String(this.shown.length > 1 && innerWidth >= 900 ? 2 : 1));
    this.pictures.replaceChildren(...this.shown.map(({ picture }) => picture.root));
    this.drawStrip();
  }

  private drawStrip(): void {
    const film = this.run?.value();
    if (!film) return;
    const focus = this.view.focus(film.plan);
    const totals = focus ? totalsOf(film, focus.links) : this.totals.get(film);
    const of = focus ? this.view.chosen.replace('>', ' → ') : 'all switches';
    if (totals) this.strip.draw(totals.queued, totals.paused, film.timeline.intervalUs, this.lastUs, theme(), of);
  }

  /** The moment at which the first run has the most pauses, or the most queued bytes: the most interesting one. */
  private fullestMoment(): number {
    const film = this.films[0];
    const totals = film && this.totals.get(film);
    if (!film || !totals) return 0;
    const told = totals.paused.some((value) => value > 0) ? totals.paused : totals.queued;
    const most = told.reduce((best, value, i) => (value > (told[best] ?? 0) ? i : best), 0);
    return (most + 0.5) * film.timeline.intervalUs;
  }

  /** A move by the reader: stored in the address. */
  private moveTo(us: number): void {
    this.seek(us);
    timeToAddress(this.us);
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
      this.seek(this.us + ((now - before) / 1000 / wholeRunSeconds) * (this.speed?.value() ?? 1) * this.lastUs);
      before = now;
      if (this.us >= this.lastUs) return this.stop();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  private stop(): void {
    if (this.playing) timeToAddress(this.us);
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
