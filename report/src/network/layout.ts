// SPDX-License-Identifier: Apache-2.0
// Positions of nodes and links: switches in rows by tier, the highest on top, with hosts below their switch; rings and
// meshes by flat_layout.ts.
import type { Network } from '../data';
import { layOutFlat } from './flat_layout';
import { shapeOf, type Shape } from './shape';

export interface Box {
  x: number; // the centre
  y: number;
  width: number;
  height: number;
}

export interface SwitchPlace extends Box {
  node: number;
  name: string;
  /** The part of the name that fits: all of it, its number, or nothing. */
  label: string;
  tier: number;
  /** Directions of the links that leave it. */
  ports: number[];
}

export interface HostPlace extends Box {
  node: number;
  name: string;
  /** The directions from and to its switch. */
  up: number;
  down: number;
}

/** One direction of a link between switches, or of a host's link if hosts have lines. */
export interface LinkPlace {
  link: number;
  /** From its sender: x, y, x, y, ... */
  path: number[];
}

export interface Layout {
  /** The size of the drawing: pixels of the page at zoom 1. */
  width: number;
  height: number;
  switches: SwitchPlace[];
  hosts: HostPlace[];
  lines: LinkPlace[];
  /** Hosts have lines; otherwise their cells show the load of their links. */
  hostLines: boolean;
  rows: { tier: number; y: number }[];
}

interface Ends {
  from: number;
  to: number;
}

export const margin = 10;
export const switchHeight = 22;
const hostLine = 44;

/** The opposite of each direction: the first unused one between the same two nodes. */
function reverses(links: Ends[]): Int32Array {
  const back = new Int32Array(links.length).fill(-1);
  const open = new Map<string, number[]>();
  links.forEach(({ from, to }, link) => {
    const partner = open.get(`${to}/${from}`)?.shift();
    if (partner !== undefined) {
      back[link] = partner;
      back[partner] = link;
    } else {
      const key = `${from}/${to}`;
      open.set(key, [...(open.get(key) ?? []), link]);
    }
  });
  return back;
}

/** The layout of a network, independent of a picture's width. */
export class Plan {
  readonly links: Ends[];
  readonly back: Int32Array;
  /** Switches by tier, the highest first. */
  readonly tiers: { tier: number; nodes: number[] }[] = [];
  readonly hostsOf = new Map<number, number[]>();
  readonly leaving: number[][];
  readonly isHost: boolean[];
  /** The shape of the switches, in the order of `switches`. */
  readonly shape: Shape;
  readonly switches: number[];

  constructor(readonly network: Network) {
    this.links = network.links.map(([from, to]) => ({ from, to }));
    this.back = reverses(this.links);
    this.isHost = network.nodes.map(([, tier]) => tier === 0);
    this.leaving = network.nodes.map(() => []);
    this.links.forEach(({ from }, link) => this.leaving[from]?.push(link));
    network.nodes.forEach((_, node) => {
      if (!this.isHost[node]) return;
      const edge = this.links[this.leaving[node]?.[0] ?? -1]?.to;
      if (edge !== undefined) this.hostsOf.set(edge, [...(this.hostsOf.get(edge) ?? []), node]);
    });
    const numbers = [...new Set(network.nodes.map(([, tier]) => tier))].filter((tier) => tier > 0).sort((a, b) => b - a);
    for (const tier of numbers) {
      this.tiers.push({ tier, nodes: network.nodes.flatMap(([, at], node) => (at === tier ? [node] : [])) });
    }
    this.switches = network.nodes.flatMap((_, node) => (this.isHost[node] ? [] : [node]));
    const place = new Map(this.switches.map((node, i) => [node, i]));
    const neighbours = this.switches.map((node) => [...new Set((this.leaving[node] ?? []).map((link) => place.get(this.links[link]?.to ?? -1)).filter((at) => at !== undefined))]);
    this.shape = shapeOf(neighbours, this.switches.map((node) => this.tier(node)));
  }

  /** Rows, or only these nodes of each row; a line has one row in its order. */
  rows(keep: ReadonlySet<number> | null): { tier: number; nodes: number[] }[] {
    const { shape } = this;
    const all = shape.kind === 'line' ? [{ tier: 1, nodes: shape.order.map((at) => this.switches[at]!) }] : this.tiers;
    return all.map(({ tier, nodes }) => ({ tier, nodes: nodes.filter((node) => !keep || keep.has(node)) })).filter(({ nodes }) => nodes.length > 0);
  }
  hosts(edge: number, keep: ReadonlySet<number> | null): number[] {
    return (this.hostsOf.get(edge) ?? []).filter((node) => !keep || keep.has(node));
  }

  name(node: number): string {
    return this.network.nodes[node]?.[0] ?? '';
  }
  tier(node: number): number {
    return this.network.nodes[node]?.[1] ?? 0;
  }
  rate(link: number): number {
    return this.network.links[link]?.[2] ?? 0;
  }
}

/**
 * Horizontal positions of switches: those with hosts in slots as wide as their hosts, the others above the switches
 * that they join.
 */
function columns(plan: Plan, rows: { nodes: number[] }[], keep: ReadonlySet<number> | null, width: number): Map<number, { x: number; slot: number }> {
  const place = new Map<number, { x: number; slot: number }>();
  const inner = width - 2 * margin;
  const edges = rows
    .slice()
    .reverse()
    .flatMap(({ nodes }) => nodes.filter((node) => plan.hostsOf.has(node)));
  const weights = edges.map((node) => Math.sqrt(plan.hosts(node, keep).length || 1) + 1);
  const sum = weights.reduce((a, b) => a + b, 0);
  let x = margin;
  edges.forEach((node, i) => {
    const slot = ((weights[i] ?? 0) / sum) * inner;
    place.set(node, { x: x + slot / 2, slot });
    x += slot;
  });
  for (const { nodes } of rows.slice().reverse()) {
    const free = nodes.filter((node) => !place.has(node));
    const middle = (node: number): number => {
      const below = (plan.leaving[node] ?? []).map((link) => place.get(plan.links[link]?.to ?? -1)?.x).filter((at) => at !== undefined);
      return below.length === 0 ? width / 2 : below.reduce((a, b) => a + b, 0) / below.length;
    };
    const order = free.map((node) => ({ node, at: Math.round(middle(node)) })).sort((a, b) => a.at - b.at || a.node - b.node);
    order.forEach(({ node }, i) => place.set(node, { x: margin + ((i + 0.5) / order.length) * inner, slot: inner / order.length }));
  }
  return place;
}

/** The ends of links on the upper or lower edge of a switch, in the order of their other ends. */
function spread(plan: Plan, links: number[], xOf: (node: number) => number, box: Box): Map<number, number> {
  const other = (link: number): number => xOf(plan.links[link]?.to ?? -1);
  const order = links.slice().sort((a, b) => other(a) - other(b) || a - b);
  const room = box.width * 0.84;
  return new Map(order.map((link, i) => [link, box.x - room / 2 + ((i + 0.5) / order.length) * room]));
}

/** Cells of `count` hosts in a slot: as square as possible. */
export function cellGrid(count: number, slot: number): { across: number; size: number } {
  const room = Math.max(slot * 0.9, 4);
  const size = Math.max(3.5, Math.min(9, Math.sqrt((room * room) / Math.max(count, 1))));
  const rows = Math.ceil(count / Math.max(1, Math.floor(room / size)));
  return { across: Math.ceil(count / rows), size };
}

/** The label that fits: the name, or its number if neighbouring names differ only in it. */
export function labelFor(name: string, width: number): string {
  const room = (text: string, size: number): boolean => text.length * size < width;
  if (room(name, 6.6)) return name;
  const digits = /(\d+)$/.exec(name)?.[1] ?? '';
  return room(digits, 6.2) ? digits : '';
}

/** `zoom`: factor by which the drawing may exceed `width`. `keep`: the nodes to draw; null: all. */
export function layOut(plan: Plan, width: number, zoom = 1, keep: ReadonlySet<number> | null = null): Layout {
  return plan.shape.kind === 'ring' || plan.shape.kind === 'grid' ? layOutFlat(plan, plan.shape, width, zoom, keep) : layOutRows(plan, width * zoom, width < 560, keep);
}

function layOutRows(plan: Plan, width: number, narrow: boolean, keep: ReadonlySet<number> | null): Layout {
  const shown = plan.rows(keep);
  const place = columns(plan, shown, keep, width);
  // Many lines between two rows need more height.
  const gap = narrow ? 92 : Math.min(210, 132 + Math.max(0, ...shown.map(({ nodes }) => nodes.length - 16)) * 1.6);
  const arcs = plan.shape.kind === 'line' ? 0 : 14;
  const rows = shown.map(({ tier }, row) => ({ tier, y: margin + 14 + arcs + switchHeight / 2 + row * gap }));
  const switches: SwitchPlace[] = [];
  const boxOf = new Map<number, SwitchPlace>();
  shown.forEach(({ tier, nodes }, row) => {
    for (const node of nodes) {
      const { x, slot } = place.get(node) ?? { x: 0, slot: 0 };
      const boxWidth = Math.max(3, Math.min(slot * 0.82, plan.hostsOf.has(node) ? 120 : 150));
      const box: SwitchPlace = {
        node,
        name: plan.name(node),
        label: labelFor(plan.name(node), boxWidth),
        tier,
        x,
        y: rows[row]?.y ?? 0,
        width: boxWidth,
        height: switchHeight,
        ports: plan.leaving[node] ?? [],
      };
      switches.push(box);
      boxOf.set(node, box);
    }
  });

  const bottom = (rows[rows.length - 1]?.y ?? 0) + switchHeight / 2;
  const hosts: HostPlace[] = [];
  const lines: LinkPlace[] = [];
  const edges = switches.map(({ node }) => ({ edge: node, members: plan.hosts(node, keep) })).filter(({ members }) => members.length > 0);
  // Lines to hosts need space between them.
  const hostLines = edges.every(({ edge, members }) => (place.get(edge)?.slot ?? 0) * 0.92 >= members.length * 5);
  let lowest = bottom;
  for (const { edge, members } of edges) {
    const box = boxOf.get(edge);
    const slot = place.get(edge)?.slot ?? 0;
    if (!box) continue;
    const grid = hostLines ? { across: members.length, size: Math.min((slot * 0.92) / members.length, 16) } : cellGrid(members.length, slot);
    const top = bottom + (hostLines ? hostLine : 10);
    const size = Math.min(grid.size, 11) - 1;
    members.forEach((node, i) => {
      const column = i % grid.across;
      const inRow = Math.min(grid.across, members.length);
      const host: HostPlace = {
        node,
        name: plan.name(node),
        x: box.x + (column - (inRow - 1) / 2) * grid.size,
        y: top + Math.floor(i / grid.across) * grid.size + grid.size / 2,
        width: size,
        height: hostLines ? Math.max(size, 7) : size,
        up: plan.leaving[node]?.[0] ?? -1,
        down: plan.back[plan.leaving[node]?.[0] ?? -1] ?? -1,
      };
      hosts.push(host);
      lowest = Math.max(lowest, host.y + host.height / 2);
      if (!hostLines) return;
      const from = box.x + (host.x - box.x) * Math.min(1, (box.width * 0.9) / (inRow * grid.size));
      addPair(lines, plan, host.down, { x: from, y: box.y + switchHeight / 2 }, { x: host.x, y: host.y - host.height / 2 }, Math.min(1.4, grid.size / 5));
    });
  }

  const xOf = (node: number): number => place.get(node)?.x ?? 0;
  const ends = new Map<number, number>();
  for (const box of switches) {
    const between = box.ports.filter((link) => !plan.isHost[plan.links[link]?.to ?? -1]);
    const up = between.filter((link) => plan.tier(plan.links[link]?.to ?? -1) > box.tier);
    const down = between.filter((link) => plan.tier(plan.links[link]?.to ?? -1) < box.tier);
    for (const side of [up, down]) for (const [link, x] of spread(plan, side, xOf, box)) ends.set(link, x);
  }
  plan.links.forEach(({ from, to }, link) => {
    const back = plan.back[link] ?? -1;
    const a = boxOf.get(from);
    const b = boxOf.get(to);
    if (!a || !b || back < 0) return;
    if (a.tier > b.tier) {
      const start = { x: ends.get(link) ?? a.x, y: a.y + switchHeight / 2 };
      addPair(lines, plan, link, start, { x: ends.get(back) ?? b.x, y: b.y - switchHeight / 2 }, 1.5);
    } else if (a.tier === b.tier && link < back) {
      addAlongRow(lines, plan, link, a, b, switches);
    }
  });
  return { width, height: Math.ceil(lowest + margin), switches, hosts, lines, hostLines, rows };
}

/** Straight between neighbours of a row, in an arc over others. */
function addAlongRow(lines: LinkPlace[], plan: Plan, link: number, a: SwitchPlace, b: SwitchPlace, switches: SwitchPlace[]): void {
  const [low, high] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  if (!switches.some(({ x, y }) => y === a.y && x > low && x < high)) {
    const side = a.x < b.x ? 1 : -1;
    addPair(lines, plan, link, { x: a.x + (side * a.width) / 2, y: a.y }, { x: b.x - (side * b.width) / 2, y: b.y }, 1.8);
    return;
  }
  const top = a.y - switchHeight / 2;
  addArc(lines, plan, link, { x: a.x, y: top }, { x: b.x, y: top }, { x: 0, y: -Math.min(24, 10 + (high - low) * 0.03) }, 1.6);
}

export interface Point {
  x: number;
  y: number;
}

/** Both directions of a link side by side, each on the right in its direction. */
export function addPair(lines: LinkPlace[], plan: Plan, link: number, start: Point, end: Point, apart: number): void {
  addPath(lines, plan, link, [start, end], apart);
}

/** In an arc whose middle is `rise` away from the straight line. */
export function addArc(lines: LinkPlace[], plan: Plan, link: number, start: Point, end: Point, rise: Point, apart: number): void {
  const steps = 14;
  const points = Array.from({ length: steps + 1 }, (_, i) => {
    const along = i / steps;
    const up = 4 * along * (1 - along);
    return { x: start.x + (end.x - start.x) * along + rise.x * up, y: start.y + (end.y - start.y) * along + rise.y * up };
  });
  addPath(lines, plan, link, points, apart);
}

function addPath(lines: LinkPlace[], plan: Plan, link: number, points: Point[], apart: number): void {
  if (link < 0) return;
  const shifted = (sign: number): Point[] =>
    points.map((at, i) => {
      const before = points[Math.max(0, i - 1)]!;
      const after = points[Math.min(points.length - 1, i + 1)]!;
      const length = Math.hypot(after.x - before.x, after.y - before.y) || 1;
      return { x: at.x - (sign * apart * (after.y - before.y)) / length, y: at.y + (sign * apart * (after.x - before.x)) / length };
    });
  lines.push({ link, path: shifted(1).flatMap(({ x, y }) => [x, y]) });
  const back = plan.back[link] ?? -1;
  if (back >= 0) lines.push({ link: back, path: shifted(-1).reverse().flatMap(({ x, y }) => [x, y]) });
}
