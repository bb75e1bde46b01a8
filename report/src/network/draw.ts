// SPDX-License-Identifier: Apache-2.0
// The network at one moment.
import type { Timeline } from '../data';
import type { Theme } from '../theme';
import type { Layout, LinkPlace } from './layout';
import type { Painter } from './painter';

/** What full marks stand for, the same in all pictures, so that they can be compared. */
export interface Scale {
  /** Bytes of the longest queue of a port. */
  queue: number;
  /** Bytes of the queues of the fullest switch. */
  tank: number;
}

/** Links that wait for each other in a circle: could, or did. */
export interface Circle {
  links: ReadonlySet<number>;
  deadlock: boolean;
}

const largestCircle = 11;

/** The area of a mark stands for the bytes. */
export function queueRadius(bytes: number, scale: Scale): number {
  return bytes <= 0 ? 0 : Math.max(1.2, largestCircle * Math.sqrt(bytes / scale.queue));
}

function tierTitle(tier: number, highest: number): string {
  if (tier === 1) return 'ToR';
  if (tier === highest) return 'core';
  return highest === 3 ? 'aggregation' : `tier ${tier}`;
}

export function drawNetwork(painter: Painter, layout: Layout, timeline: Timeline, interval: number, scale: Scale, colors: Theme, circles: Circle[] = []): void {
  drawCircles(painter, layout, colors, circles);
  drawLoads(painter, layout, timeline, interval, colors);
  drawHosts(painter, layout, timeline, interval, scale, colors);
  drawSwitches(painter, layout, timeline, interval, scale, colors);
  drawQueues(painter, layout, timeline, interval, scale, colors);
  drawPauses(painter, layout, timeline, interval, colors);
  drawRowTitles(painter, layout, colors);
}

/** Broad and pale, below all else; the deadlock on top. */
function drawCircles(painter: Painter, layout: Layout, colors: Theme, circles: Circle[]): void {
  for (const circle of [...circles].sort((a, b) => Number(a.deadlock) - Number(b.deadlock))) {
    const on = layout.lines.filter(({ link }) => circle.links.has(link));
    const coordinates = on.flatMap(({ x1, y1, x2, y2 }) => [x1, y1, x2, y2]);
    if (coordinates.length > 0) painter.segments(circleColor(circle, colors), circle.deadlock ? 6 : 10, 0.35, coordinates);
  }
}

export function circleColor(circle: Pick<Circle, 'deadlock'>, colors: Theme): string {
  return circle.deadlock ? colors.pause : colors.cycle;
}

function drawRowTitles(painter: Painter, layout: Layout, colors: Theme): void {
  const highest = Math.max(...layout.rows.map(({ tier }) => tier));
  for (const { tier, y } of layout.rows) painter.text(colors.faint, 11, 2, y - 21, tierTitle(tier, highest), 'left', colors.background);
}

/** Which colour of the ramp: the first is for nothing at all. */
function shade(colors: Theme, load: number): number {
  return load <= 0 ? 0 : Math.min(colors.load.length - 1, 1 + Math.floor(load * (colors.load.length - 1)));
}

/** Thick lines are for links that are all but full: those matter, and there are many lines. */
function lineWidth(colors: Theme, shadeNumber: number): number {
  return 0.7 + 1.5 * (shadeNumber / (colors.load.length - 1)) ** 3;
}

/** Lines, the busiest on top; one stroke for all of a shade. */
function drawLoads(painter: Painter, layout: Layout, timeline: Timeline, interval: number, colors: Theme): void {
  const shades: number[][] = colors.load.map(() => []);
  for (const { link, x1, y1, x2, y2 } of layout.lines) shades[shade(colors, timeline.load(link, interval))]?.push(x1, y1, x2, y2);
  shades.forEach((coordinates, i) => {
    if (coordinates.length === 0) return;
    painter.segments(colors.load[i] ?? '', lineWidth(colors, i), 1, coordinates);
  });
}

function drawHosts(painter: Painter, layout: Layout, timeline: Timeline, interval: number, scale: Scale, colors: Theme): void {
  for (const host of layout.hosts) {
    const paused = host.up >= 0 ? timeline.paused(host.up, interval) : 0;
    const load = layout.hostLines || host.down < 0 ? 0 : timeline.load(host.down, interval);
    const line = paused > 0 ? colors.pause : colors.nodeLine;
    const fill = layout.hostLines ? colors.node : (colors.load[shade(colors, load)] ?? colors.node);
    painter.box(fill, line, paused > 0 ? 1.6 : layout.hostLines ? 0.8 : 0, host.x, host.y, host.width, host.height, 1.5);
    if (layout.hostLines || host.down < 0) continue;
    const radius = Math.min(queueRadius(timeline.queued(host.down, interval), scale), host.width * 0.75);
    if (radius > 0) painter.circle(colors.queue, 0.95, host.x, host.y, radius);
  }
}

/** Each switch is a tank, as full as its queues are long. */
function drawSwitches(painter: Painter, layout: Layout, timeline: Timeline, interval: number, scale: Scale, colors: Theme): void {
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
    painter.box('transparent', colors.nodeLine, 1, at.x, at.y, at.width, at.height, radius);
    if (at.name.length * 6.4 < at.width - 4) painter.text(colors.text, 11, at.x, at.y, at.name, 'center');
  }
}

/** A circle at the sender's end of the link that the queue waits for. */
function drawQueues(painter: Painter, layout: Layout, timeline: Timeline, interval: number, scale: Scale, colors: Theme): void {
  const marks: { x: number; y: number; radius: number }[] = [];
  for (const line of layout.lines) {
    const radius = queueRadius(timeline.queued(line.link, interval), scale);
    if (radius <= 0) continue;
    const length = Math.hypot(line.x2 - line.x1, line.y2 - line.y1) || 1;
    const along = Math.min(radius + 1, length / 2) / length;
    marks.push({ x: line.x1 + (line.x2 - line.x1) * along, y: line.y1 + (line.y2 - line.y1) * along, radius });
  }
  // Small ones stay visible.
  marks.sort((a, b) => b.radius - a.radius);
  for (const { x, y, radius } of marks) painter.circle(colors.queue, 0.85, x, y, radius);
}

/** An arrow from who pauses, the far end of the link, to who is paused, its sender. */
function drawPauses(painter: Painter, layout: Layout, timeline: Timeline, interval: number, colors: Theme): void {
  for (const line of layout.lines) {
    const share = timeline.paused(line.link, interval);
    if (share > 0) drawArrow(painter, line, share, colors);
  }
}

function drawArrow(painter: Painter, line: LinkPlace, share: number, colors: Theme): void {
  const dx = line.x1 - line.x2;
  const dy = line.y1 - line.y2;
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  // Lines to hosts stand close: their arrows are slender.
  const head = Math.min(10, length / 4) * (length < 60 ? 0.65 : 1);
  const half = head * 0.45;
  const alpha = 0.55 + 0.45 * share;
  const tip = { x: line.x1 - ux * 1.5, y: line.y1 - uy * 1.5 };
  const neck = { x: tip.x - ux * head, y: tip.y - uy * head };
  const shaft = [line.x2 + ux * 2, line.y2 + uy * 2, neck.x, neck.y];
  const width = 1 + 1.4 * share;
  // Apart from the loads below.
  painter.segments(colors.background, width + 2.4, 0.75, shaft);
  painter.segments(colors.pause, width, alpha, shaft);
  painter.polygon(colors.pause, Math.min(1, alpha + 0.2), [tip.x, tip.y, neck.x - uy * half, neck.y + ux * half, neck.x + uy * half, neck.y - ux * half]);
}
