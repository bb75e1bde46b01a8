// SPDX-License-Identifier: Apache-2.0
// The network at one moment.
import type { Timeline } from '../data';
import type { Theme } from '../theme';
import type { Layout, LinkPlace } from './layout';
import type { Painter } from './painter';

/** The values of full marks, the same in all pictures, so that these can be compared. */
export interface Scale {
  /** Bytes in the longest queue of a port. */
  queue: number;
  /** Bytes in the queues of the fullest switch. */
  tank: number;
}

/** A cycle of links that wait for each other, possibly or actually. */
export interface Circle {
  links: ReadonlySet<number>;
  deadlock: boolean;
}

/** The reader's choice: a node with its links, or a link with its ends. */
export interface Focus {
  nodes: ReadonlySet<number>;
  links: ReadonlySet<number>;
}

const largestCircle = 11;

/** Opacity of everything out of focus. */
const pale = 0.16;

/** The area of a mark is proportional to the bytes. */
export function queueRadius(bytes: number, scale: Scale): number {
  return bytes <= 0 ? 0 : Math.max(1.2, largestCircle * Math.sqrt(bytes / scale.queue));
}

function tierTitle(tier: number, highest: number): string {
  if (tier === 1) return 'ToR';
  if (tier === highest) return 'core';
  return highest === 3 ? 'aggregation' : `tier ${tier}`;
}

export interface Scene {
  layout: Layout;
  timeline: Timeline;
  interval: number;
  scale: Scale;
  colors: Theme;
  circles: Circle[];
  /** Null: no focus. */
  focus: Focus | null;
  /** The left edge of the visible part, where the names of rows are drawn. */
  left: number;
}

export function drawNetwork(painter: Painter, scene: Scene): void {
  drawCircles(painter, scene);
  drawLoads(painter, scene);
  drawHosts(painter, scene);
  drawSwitches(painter, scene);
  drawQueues(painter, scene);
  drawPauses(painter, scene);
  drawRowTitles(painter, scene);
}

function isPale({ focus }: Scene, link: number): boolean {
  return focus !== null && !focus.links.has(link);
}

/** The lines of a path, as the two points of each segment. */
function segmentsOf(path: number[]): number[] {
  const out: number[] = [];
  for (let i = 0; i + 3 < path.length; i += 2) out.push(path[i]!, path[i + 1]!, path[i + 2]!, path[i + 3]!);
  return out;
}

/** Wide and pale, below all other marks; deadlocks on top. */
function drawCircles(painter: Painter, { layout, colors, circles }: Scene): void {
  for (const circle of [...circles].sort((a, b) => Number(a.deadlock) - Number(b.deadlock))) {
    const on = layout.lines.filter(({ link }) => circle.links.has(link));
    const coordinates = on.flatMap(({ path }) => segmentsOf(path));
    if (coordinates.length > 0) painter.segments(circleColor(circle, colors), circle.deadlock ? 6 : 10, 0.35, coordinates);
  }
}

export function circleColor(circle: Pick<Circle, 'deadlock'>, colors: Theme): string {
  return circle.deadlock ? colors.pause : colors.cycle;
}

function drawRowTitles(painter: Painter, { layout, colors, left }: Scene): void {
  const highest = Math.max(...layout.rows.map(({ tier }) => tier));
  for (const { tier, y } of layout.rows) painter.text(colors.faint, 11, left + 2, y - 21, tierTitle(tier, highest), 'left', colors.background);
}

/** The index in the colour ramp; the first colour means no load. */
function shade(colors: Theme, load: number): number {
  return load <= 0 ? 0 : Math.min(colors.load.length - 1, 1 + Math.floor(load * (colors.load.length - 1)));
}

/** Thick lines are reserved for nearly full links, because those matter and there are many lines. */
function lineWidth(colors: Theme, shadeNumber: number): number {
  return 0.7 + 1.5 * (shadeNumber / (colors.load.length - 1)) ** 3;
}

/** Lines, the busiest on top; one stroke for all of the same shade. */
function drawLoads(painter: Painter, scene: Scene): void {
  const { layout, timeline, interval, colors } = scene;
  const shades: number[][][] = [true, false].map(() => colors.load.map(() => []));
  for (const { link, path } of layout.lines) shades[isPale(scene, link) ? 0 : 1]?.[shade(colors, timeline.load(link, interval))]?.push(...segmentsOf(path));
  shades.forEach((of, isClear) =>
    of.forEach((coordinates, i) => {
      if (coordinates.length > 0) painter.segments(colors.load[i] ?? '', lineWidth(colors, i), isClear ? 1 : pale, coordinates);
    }),
  );
}

function drawHosts(painter: Painter, { layout, timeline, interval, scale, colors, focus }: Scene): void {
  for (const host of layout.hosts) {
    const paused = host.up >= 0 ? timeline.paused(host.up, interval) : 0;
    const load = layout.hostLines || host.down < 0 ? 0 : timeline.load(host.down, interval);
    const line = paused > 0 ? colors.pause : colors.nodeLine;
    const fill = layout.hostLines ? colors.node : (colors.load[shade(colors, load)] ?? colors.node);
    painter.box(fill, line, paused > 0 ? 1.6 : layout.hostLines ? 0.8 : 0, host.x, host.y, host.width, host.height, 1.5);
    if (focus?.nodes.has(host.node)) painter.box('transparent', colors.text, 2, host.x, host.y, host.width + 3, host.height + 3, 2.5);
    if (layout.hostLines || host.down < 0) continue;
    const radius = Math.min(queueRadius(timeline.queued(host.down, interval), scale), host.width * 0.75);
    if (radius > 0) painter.circle(colors.queue, 0.95, host.x, host.y, radius);
  }
}

/** Each switch is a tank, filled in proportion to its queues. */
function drawSwitches(painter: Painter, { layout, timeline, interval, scale, colors, focus }: Scene): void {
  for (const at of layout.switches) {
    let bytes = 0;
    for (const link of at.ports) bytes += timeline.queued(link, interval);
    const full = Math.min(1, bytes / scale.tank);
    const radius = Math.min(4, at.width / 4);
    painter.box(colors.node, colors.nodeLine, 0, at.x, at.y, at.width, at.height, radius);
    if (full > 0) {
      const height = Math.max(1, at.height * full);
      painter.box(colors.tank, '', 0, at.x, at.y + (at.height - height) / 2, at.width, height, Math.min(radius, height / 2));
    }
    const chosen = focus?.nodes.has(at.node) ?? false;
    painter.box('transparent', chosen ? colors.text : colors.nodeLine, chosen ? 2.5 : 1, at.x, at.y, at.width, at.height, radius);
    if (at.label !== '') painter.text(colors.text, at.label === at.name ? 11 : 10, at.x, at.y, at.label, 'center');
  }
}

/** A circle at the sender's end of the link that the queue waits for. */
function drawQueues(painter: Painter, scene: Scene): void {
  const { layout, timeline, interval, scale, colors } = scene;
  const marks: { x: number; y: number; radius: number; alpha: number }[] = [];
  for (const { link, path } of layout.lines) {
    const radius = queueRadius(timeline.queued(link, interval), scale);
    if (radius <= 0) continue;
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = path;
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const along = Math.min(radius + 1, length / 2) / length;
    marks.push({ x: x1 + (x2 - x1) * along, y: y1 + (y2 - y1) * along, radius, alpha: isPale(scene, link) ? pale : 0.85 });
  }
  // Small ones remain visible.
  marks.sort((a, b) => b.radius - a.radius);
  for (const { x, y, radius, alpha } of marks) painter.circle(colors.queue, alpha, x, y, radius);
}

/** An arrow from the far end of the link, which pauses, to its sender, which is paused. */
function drawPauses(painter: Painter, scene: Scene): void {
  for (const line of scene.layout.lines) {
    const share = scene.timeline.paused(line.link, scene.interval);
    if (share > 0) drawArrow(painter, line, share, scene.colors, isPale(scene, line.link));
  }
}

function drawArrow(painter: Painter, { path }: LinkPlace, share: number, colors: Theme, isFaint: boolean): void {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = path;
  const [dx, dy] = [x1 - x2, y1 - y2];
  let length = 0;
  for (let i = 0; i + 3 < path.length; i += 2) length += Math.hypot(path[i + 2]! - path[i]!, path[i + 3]! - path[i + 1]!);
  const first = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / first, dy / first];
  // Lines to hosts are close together: their arrows are slender.
  const head = Math.min(10, length / 4) * (length < 60 ? 0.65 : 1);
  const half = head * 0.45;
  const alpha = (0.55 + 0.45 * share) * (isFaint ? pale : 1);
  const tip = { x: x1 + -ux * 1.5, y: y1 + -uy * 1.5 };
  const neck = { x: tip.x - ux * head, y: tip.y - uy * head };
  const shaft = segmentsOf([neck.x, neck.y, ...path.slice(2)]);
  const width = 1 + 1.4 * share;
  // Separates it from the loads below.
  painter.segments(colors.background, width + 2.4, isFaint ? pale : 0.75, shaft);
  painter.segments(colors.pause, width, alpha, shaft);
  painter.polygon(colors.pause, isFaint ? pale : Math.min(1, alpha + 0.2), [tip.x, tip.y, neck.x - uy * half, neck.y + ux * half, neck.x + uy * half, neck.y - ux * half]);
}
