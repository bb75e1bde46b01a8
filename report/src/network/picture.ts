// SPDX-License-Identifier: Apache-2.0
// The network of one run on the page: draws the chosen moment, and handles the pointer.
import { Timeline, markedLabel, type Report, type Run } from '../data';
import { swatch } from '../charts/options';
import { element, scrolling, table } from '../dom';
import { bitRate, bytes, duration, nothing, number, percent, plural } from '../format';
import { theme } from '../theme';
import { drawNetwork, type Circle, type Scale, type Scene } from './draw';
import { kept } from './filter';
import { layOut, Plan, type Layout } from './layout';
import { CanvasPainter, SvgPainter } from './painter';
import { mostZoom, type View } from './view';

/** The network and timeline of a run, unpacked once. */
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

/** The interval of a film that contains an instant, which may be after the film's end. */
export function intervalAt(film: Film, us: number): number {
  return Math.max(0, Math.min(film.timeline.intervals - 1, Math.floor(us / film.timeline.intervalUs)));
}

type Spot = { kind: 'switch' | 'host'; index: number } | { kind: 'link'; index: number } | null;

/** A pointer that moved by less has clicked. */
const clickSlack = 4;
/** The largest height of a picture in pixels; the rest can be scrolled into view. */
const mostHeight = 760;

export class Picture {
  readonly root: HTMLElement;
  private readonly canvas = element('canvas', { role: 'application', tabindex: 0 });
  private readonly figures = element('p', { class: 'figures' });
  private readonly tip = element('div', { class: 'tip', hidden: true });
  private readonly heading = element('h4');
  private readonly details = element('div', { class: 'details', hidden: true });
  private layout: Layout | undefined;
  private key = '';
  private height = 0;
  private us = 0;
  private pointer: { x: number; y: number } | null = null;
  private drag: { x: number; y: number; viewX: number; viewY: number; moved: boolean } | null = null;

  constructor(
    private readonly film: Film,
    private readonly scale: Scale,
    private readonly view: View,
  ) {
    this.root = element('div', { class: 'picture' }, this.heading, this.canvas, this.tip, this.figures, this.details);
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerdown', (event) => this.press(event));
    this.canvas.addEventListener('pointerup', (event) => this.release(event));
    this.canvas.addEventListener('pointercancel', () => (this.drag = null));
    this.canvas.addEventListener('pointerleave', () => this.leave());
    this.canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener('keydown', (event) => this.typed(event));
    new ResizeObserver(() => this.resize()).observe(this.root);
  }

  show(us: number): void {
    this.us = us;
    this.draw();
  }

  /** Called after another part was chosen for viewing. */
  look(): void {
    this.resize();
    this.draw();
  }

  /** The picture as a separate file. */
  svg(title: string): string {
    const colors = theme();
    const foot = 34;
    const { plan } = this.film;
    const layout = layOut(plan, 1200, 1, kept(plan, this.view.filter));
    const painter = new SvgPainter();
    drawNetwork(painter, this.scene(layout, 0));
    painter.text(colors.text, 14, 10, layout.height + 16, title, 'left');
    return painter.file(layout.width, layout.height + foot, colors.background);
  }

  private scene(layout: Layout, left: number): Scene {
    const { film, scale } = this;
    return { layout, timeline: film.timeline, interval: this.interval(), scale, colors: theme(), circles: film.circles, focus: this.view.focus(film.plan), left };
  }

  private interval(): number {
    return intervalAt(this.film, this.us);
  }

  private resize(): void {
    const width = this.root.clientWidth;
    const { view, film } = this;
    const key = `${width}/${view.zoom}/${view.filter}`;
    if (width === 0 || key === this.key) return;
    this.key = key;
    const keep = kept(film.plan, view.filter);
    this.layout = layOut(film.plan, width, view.zoom, keep);
    // Rings and meshes grow in both directions: a window shows a part of them.
    const whole = this.layout.rows.length > 0 || view.zoom === 1 ? this.layout.height : layOut(film.plan, width, 1, keep).height;
    this.height = Math.min(whole, Math.max(mostHeight, width));
    const density = Math.min(3, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(this.height * density);
    this.canvas.style.height = `${this.height}px`;
    this.canvas.style.touchAction = view.zoom > 1 ? 'none' : 'pan-y';
    this.canvas.classList.toggle('movable', view.zoom > 1);
    this.draw();
  }

  /** The upper left corner of the visible part. */
  private corner(): { x: number; y: number } {
    const { layout, view, height } = this;
    if (!layout) return { x: 0, y: 0 };
    const width = this.root.clientWidth;
    const at = (middle: number, whole: number, seen: number): number => Math.max(0, Math.min(whole - seen, middle * whole - seen / 2));
    return { x: at(view.x, layout.width, width), y: at(view.y, layout.height, height) };
  }

  private draw(): void {
    const context = this.canvas.getContext('2d');
    if (!context || !this.layout) return;
    const colors = theme();
    const width = this.root.clientWidth;
    const density = this.canvas.width / width;
    const { x, y } = this.corner();
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, this.height);
    context.translate(-x, -y);
    drawNetwork(new CanvasPainter(context), this.scene(this.layout, x));
    this.tellFigures();
    this.tellSpot();
    this.tellDetails();
    this.heading.replaceChildren(swatch(colors, this.film.run.look), markedLabel(this.film.run));
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
    if (until !== null && this.us > until) parts.push(`not all pauses after ${duration(until)} are drawn: there were too many to record`);
    if (this.us >= run.simulatedUs) parts.push(`this run ended at ${duration(run.simulatedUs)}`);
    this.figures.textContent = `${parts.join(' · ')}.`;
    this.canvas.setAttribute('aria-label', `The network of ${markedLabel(run)} at ${duration(this.us)}: ${parts.join(', ')}.`);
  }

  /** The position of an event on the page, and in the layout. */
  private placeOf(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const { x, y } = this.corner();
    return { x: event.clientX - box.left + x, y: event.clientY - box.top + y };
  }

  private point(event: PointerEvent): void {
    const { drag, layout, view } = this;
    if (drag && layout) {
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      drag.moved ||= Math.hypot(dx, dy) > clickSlack;
      if (drag.moved && view.zoom > 1) view.lookAt(view.zoom, drag.viewX - dx / layout.width, drag.viewY - dy / layout.height);
    }
    this.pointer = this.placeOf(event);
    this.tellSpot();
  }

  private press(event: PointerEvent): void {
    this.drag = { x: event.clientX, y: event.clientY, viewX: this.view.x, viewY: this.view.y, moved: false };
    if (this.view.zoom > 1 && event.isTrusted) this.canvas.setPointerCapture(event.pointerId);
    this.point(event);
  }

  private release(event: PointerEvent): void {
    const clicked = this.drag && !this.drag.moved;
    this.drag = null;
    if (!clicked) return;
    const { x, y } = this.placeOf(event);
    const spot = this.spot(x, y);
    const name = spot === null ? '' : this.nameOf(spot);
    this.view.choose(name === this.view.chosen ? '' : name);
  }

  private nameOf(spot: NonNullable<Spot>): string {
    const { plan } = this.film;
    if (spot.kind === 'switch') return this.layout?.switches[spot.index]?.name ?? '';
    if (spot.kind === 'host') return this.layout?.hosts[spot.index]?.name ?? '';
    const ends = plan.links[this.layout?.lines[spot.index]?.link ?? -1];
    return ends ? `${plan.name(ends.from)}>${plan.name(ends.to)}` : '';
  }

  /** With Ctrl or as a pinch; otherwise the page scrolls. */
  private wheel(event: WheelEvent): void {
    const { layout } = this;
    if (!layout || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const at = this.placeOf(event);
    this.zoomBy(Math.exp(-event.deltaY / 300), at.x / layout.width, at.y / layout.height);
  }

  /** The point at these shares of the picture keeps its position. */
  private zoomBy(factor: number, x = this.view.x, y = this.view.y): void {
    const { view } = this;
    const zoom = Math.max(1, Math.min(mostZoom, view.zoom * factor));
    const by = view.zoom / zoom;
    view.lookAt(zoom, x + (view.x - x) * by, y + (view.y - y) * by);
  }

  private typed(event: KeyboardEvent): void {
    const { view } = this;
    const steps: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    if (step && event.shiftKey) view.lookAt(view.zoom, view.x + step[0] * (0.25 / view.zoom), view.y + step[1] * (0.25 / view.zoom));
    else if (step) this.chooseNext(step);
    else if (event.key === '+' || event.key === '=') this.zoomBy(1.5);
    else if (event.key === '-') this.zoomBy(1 / 1.5);
    else if (event.key === '0') view.lookAt(1, 0.5, 0.5);
    else if (event.key === 'Escape') view.choose('');
    else return;
    event.preventDefault();
  }

  /** The nearest node in a direction from the chosen one. */
  private chooseNext([dx, dy]: [number, number]): void {
    const { layout, view } = this;
    if (!layout) return;
    const places = [...layout.switches, ...layout.hosts];
    const from = places.find(({ name }) => name === view.chosen);
    let next = from ? undefined : layout.switches[0];
    let least = Infinity;
    for (const at of from ? places : []) {
      const along = (at.x - from!.x) * dx + (at.y - from!.y) * dy;
      const aside = Math.abs((at.x - from!.x) * dy) + Math.abs((at.y - from!.y) * dx);
      if (along <= 0.5 || aside > along * 6 + 200) continue;
      const far = along + 3 * aside;
      if (far < least) [next, least] = [at as (typeof layout.switches)[number], far];
    }
    if (!next) return;
    // It is scrolled into view.
    if (view.zoom > 1) view.lookAt(view.zoom, next.x / layout.width, next.y / layout.height, false);
    view.choose(next.name);
  }

  private leave(): void {
    this.pointer = null;
    this.drag = null;
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
    const corner = this.corner();
    const [x, y] = [this.pointer.x - corner.x, this.pointer.y - corner.y];
    const left = Math.max(0, Math.min(x + 14, this.root.clientWidth - this.tip.offsetWidth - 2));
    const above = y + 18 + this.tip.offsetHeight > this.height;
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

  /** The state of every port of the chosen node or link at this moment. */
  private tellDetails(): void {
    const { plan, timeline } = this.film;
    const focus = this.view.focus(plan);
    this.details.hidden = focus === null;
    if (!focus) return;
    const interval = this.interval();
    const name = (node: number | undefined): string => plan.name(node ?? -1);
    const single = focus.nodes.size === 1 ? [...focus.nodes][0] : undefined;
    const links = [...focus.links].filter((link) => link >= 0 && (single === undefined || plan.links[link]?.from === single));
    links.sort((a, b) => timeline.queued(b, interval) - timeline.queued(a, interval) || a - b);
    const rows = links.map((link) => {
      const back = plan.back[link] ?? -1;
      const ends = plan.links[link]!;
      return [
        `${name(ends.from)} → ${name(ends.to)}`,
        `${percent(timeline.load(link, interval))} %`,
        bytes(timeline.queued(link, interval)),
        `${percent(timeline.paused(link, interval))} %`,
        back < 0 ? nothing : `${percent(timeline.load(back, interval))} %`,
        back < 0 ? nothing : `${percent(timeline.paused(back, interval))} %`,
      ];
    });
    const title = `${this.view.chosen.replace('>', ' → ')} at ${duration(this.us)}`;
    const made = table(['port', 'sends, of its rate', 'queued', 'is paused', 'receives', 'pauses the other end'], rows, title);
    const known = this.details.querySelector('table');
    // The region remains, so that it does not scroll back at every moment.
    if (known) known.replaceWith(made);
    else this.details.replaceChildren(scrolling(`Ports of ${this.view.chosen}`, made));
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

function distanceTo({ path }: { path: number[] }, x: number, y: number): number {
  let least = Infinity;
  for (let i = 0; i + 3 < path.length; i += 2) {
    const [x1, y1] = [path[i]!, path[i + 1]!];
    const [dx, dy] = [path[i + 2]! - x1, path[i + 3]! - y1];
    const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(x - x1 - along * dx, y - y1 - along * dy));
  }
  return least;
}
