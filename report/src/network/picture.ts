// SPDX-License-Identifier: Apache-2.0
// One run's network on the page: drawn at the moment that is chosen, and told of where one points.
import { Timeline, markedLabel, type Report, type Run } from '../data';
import { element } from '../dom';
import { bitRate, bytes, duration, number, percent, plural } from '../format';
import { runColor, theme } from '../theme';
import { drawNetwork, type Circle, type Scale } from './draw';
import { layOut, Plan, type Layout } from './layout';
import { CanvasPainter, SvgPainter } from './painter';

/** Of a run: its network and timeline, unpacked once. */
export interface Film {
  run: Run;
  number: number;
  plan: Plan;
  timeline: Timeline;
  circles: Circle[];
}

export function filmOf(report: Report, run: number, plans: Plan[]): Film | null {
  const at = report.runs[run];
  const plan = plans[at?.network ?? -1];
  if (!at?.timeline || !plan) return null;
  const circles = at.findings
    .filter(({ kind, ports }) => ports.length > 0 && (kind === 'deadlock' || kind === 'cyclic buffer dependency'))
    .map(({ kind, ports }) => ({ links: new Set(ports.map(({ link }) => link)), deadlock: kind === 'deadlock' }));
  return { run: at, number: run, plan, timeline: new Timeline(at.timeline, plan.links.length), circles };
}

/** The interval of a film that holds an instant, which may be after its end. */
export function intervalAt(film: Film, us: number): number {
  return Math.max(0, Math.min(film.timeline.intervals - 1, Math.floor(us / film.timeline.intervalUs)));
}

type Spot = { kind: 'switch' | 'host'; index: number } | { kind: 'link'; index: number } | null;

export class Picture {
  readonly root: HTMLElement;
  private readonly canvas = element('canvas', { role: 'img' });
  private readonly figures = element('p', { class: 'figures' });
  private readonly tip = element('div', { class: 'tip', hidden: true });
  private readonly heading = element('h4');
  private layout: Layout | undefined;
  private us = 0;
  private pointer: { x: number; y: number } | null = null;

  constructor(
    private readonly film: Film,
    private readonly scale: Scale,
  ) {
    this.root = element('div', { class: 'picture' }, this.heading, this.canvas, this.tip, this.figures);
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerdown', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => this.leave());
    new ResizeObserver(() => this.resize()).observe(this.root);
  }

  show(us: number): void {
    this.us = us;
    this.draw();
  }

  /** The picture as a file of its own. */
  svg(title: string): string {
    const colors = theme();
    const foot = 34;
    const layout = layOut(this.film.plan, 1200);
    const painter = new SvgPainter();
    drawNetwork(painter, layout, this.film.timeline, this.interval(), this.scale, colors, this.film.circles);
    painter.text(colors.text, 14, 10, layout.height + 16, title, 'left');
    return painter.file(layout.width, layout.height + foot, colors.background);
  }

  private interval(): number {
    return intervalAt(this.film, this.us);
  }

  private resize(): void {
    const width = this.root.clientWidth;
    if (width === 0 || width === this.layout?.width) return;
    this.layout = layOut(this.film.plan, width);
    const density = Math.min(3, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(this.layout.height * density);
    this.canvas.style.height = `${this.layout.height}px`;
    this.draw();
  }

  private draw(): void {
    const context = this.canvas.getContext('2d');
    if (!context || !this.layout) return;
    const colors = theme();
    const density = this.canvas.width / this.layout.width;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, this.layout.width, this.layout.height);
    drawNetwork(new CanvasPainter(context), this.layout, this.film.timeline, this.interval(), this.scale, colors, this.film.circles);
    this.tellFigures();
    this.tellSpot();
    this.heading.replaceChildren(
      element('span', { class: 'swatch', style: `background:${runColor(colors, this.film.number)}` }),
      markedLabel(this.film.run),
    );
  }

  private tellFigures(): void {
    const { timeline, plan, run } = this.film;
    const interval = this.interval();
    let queued = 0;
    let delivered = 0;
    let paused = 0;
    const bySwitch = new Map<number, number>();
    plan.links.forEach(({ from, to }, link) => {
      const bytesQueued = timeline.queued(link, interval);
      queued += bytesQueued;
      if (bytesQueued > 0) bySwitch.set(from, (bySwitch.get(from) ?? 0) + bytesQueued);
      if (timeline.paused(link, interval) > 0) ++paused;
      if (plan.isHost[to]) delivered += timeline.load(link, interval) * plan.rate(link) * 1e9;
    });
    const [fullest, most] = [...bySwitch].reduce((a, b) => (b[1] > a[1] ? b : a), [-1, 0]);
    const parts = [
      queued > 0 ? `${bytes(queued)} queued, most at ${plan.name(fullest)} (${bytes(most)})` : 'nothing queued',
      run.pauses > 0 ? `${plural(paused, 'link')} paused` : 'no pauses in this run',
      `${bitRate(delivered)} delivered`,
    ];
    const until = timeline.packed.pausesUntilUs;
    if (until !== null && this.us > until) parts.push(`pauses after ${duration(until)} were too many to keep: not all are drawn`);
    if (this.us >= run.simulatedUs) parts.push(`this run ended at ${duration(run.simulatedUs)}`);
    this.figures.textContent = `${parts.join(' · ')}.`;
    this.canvas.setAttribute('aria-label', `The network of ${markedLabel(run)} at ${duration(this.us)}: ${parts.join(', ')}.`);
  }

  private point(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    this.pointer = { x: event.clientX - box.left, y: event.clientY - box.top };
    this.tellSpot();
  }

  private leave(): void {
    this.pointer = null;
    this.tip.hidden = true;
  }

  private spot(x: number, y: number): Spot {
    if (!this.layout) return null;
    const inside = (box: { x: number; y: number; width: number; height: number }, slack: number): boolean =>
      Math.abs(x - box.x) <= box.width / 2 + slack && Math.abs(y - box.y) <= box.height / 2 + slack;
    const at = this.layout.switches.findIndex((box) => inside(box, 0));
    if (at >= 0) return { kind: 'switch', index: at };
    const host = this.layout.hosts.findIndex((box) => inside(box, 0.5));
    if (host >= 0) return { kind: 'host', index: host };
    let nearest = -1;
    let distance = 7;
    this.layout.lines.forEach((line, index) => {
      const away = distanceTo(line, x, y);
      if (away < distance) [nearest, distance] = [index, away];
    });
    return nearest < 0 ? null : { kind: 'link', index: nearest };
  }

  private tellSpot(): void {
    if (!this.pointer || !this.layout) return;
    const spot = this.spot(this.pointer.x, this.pointer.y);
    this.tip.hidden = spot === null;
    if (spot === null) return;
    this.tip.replaceChildren(...this.linesOf(spot));
    const { x, y } = this.pointer;
    const left = Math.max(0, Math.min(x + 14, this.layout.width - this.tip.offsetWidth - 2));
    const above = y + 18 + this.tip.offsetHeight > this.layout.height;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${this.canvas.offsetTop + (above ? Math.max(0, y - 14 - this.tip.offsetHeight) : y + 18)}px`;
  }

  private linesOf(spot: NonNullable<Spot>): HTMLElement[] {
    const { plan } = this.film;
    if (spot.kind === 'link') {
      const link = this.layout?.lines[spot.index]?.link ?? 0;
      const back = plan.back[link] ?? -1;
      return [link, back].filter((at) => at >= 0).map((at) => this.lineOf(at));
    }
    if (spot.kind === 'host') {
      const host = this.layout?.hosts[spot.index];
      return [host?.up ?? -1, host?.down ?? -1].filter((at) => at >= 0).map((at) => this.lineOf(at));
    }
    const at = this.layout?.switches[spot.index];
    return at ? this.switchLines(at.name, at.ports) : [];
  }

  private lineOf(link: number): HTMLElement {
    const { plan, timeline } = this.film;
    const interval = this.interval();
    const ends = plan.links[link] ?? { from: 0, to: 0 };
    const load = timeline.load(link, interval);
    const paused = timeline.paused(link, interval);
    const parts = [`${percent(load)} % of ${number(plan.rate(link))} Gbit/s`];
    if (!plan.isHost[ends.from]) parts.push(`${bytes(timeline.queued(link, interval))} queued`);
    if (paused > 0) parts.push(`paused by ${plan.name(ends.to)} ${percent(paused)} % of the time`);
    return element('div', {}, element('b', {}, `${plan.name(ends.from)} → ${plan.name(ends.to)}`), ` ${parts.join(', ')}`);
  }

  private switchLines(name: string, ports: number[]): HTMLElement[] {
    const { plan, timeline } = this.film;
    const interval = this.interval();
    const queues = ports.map((link) => ({ link, queued: timeline.queued(link, interval) })).sort((a, b) => b.queued - a.queued);
    const sum = queues.reduce((total, { queued }) => total + queued, 0);
    const by = ports.filter((link) => timeline.paused(link, interval) > 0).map((link) => plan.name(plan.links[link]?.to ?? -1));
    const pausing = ports.filter((link) => timeline.paused(plan.back[link] ?? -1, interval) > 0).length;
    const lines = [element('div', {}, element('b', {}, name), ` ${bytes(sum)} queued`)];
    for (const { link, queued } of queues.slice(0, 3)) {
      if (queued > 0) lines.push(element('div', {}, `${bytes(queued)} for ${plan.name(plan.links[link]?.to ?? -1)}`));
    }
    if (pausing > 0) lines.push(element('div', {}, `pauses ${plural(pausing, 'neighbour')}`));
    if (by.length > 0) lines.push(element('div', {}, `paused by ${by.slice(0, 4).join(', ')}${by.length > 4 ? ` and ${by.length - 4} more` : ''}`));
    return lines;
  }
}

function distanceTo(line: { x1: number; y1: number; x2: number; y2: number }, x: number, y: number): number {
  const dx = line.x2 - line.x1;
  const dy = line.y2 - line.y1;
  const along = Math.max(0, Math.min(1, ((x - line.x1) * dx + (y - line.y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - line.x1 - along * dx, y - line.y1 - along * dy);
}
