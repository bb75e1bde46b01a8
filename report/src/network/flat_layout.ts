// SPDX-License-Identifier: Apache-2.0
// Rings and meshes: switches on a circle or in a grid, each with its hosts beside it.
import { addArc, addPair, labelFor, margin, switchHeight, type HostPlace, type Layout, type LinkPlace, type Plan, type Point, type SwitchPlace } from './layout';
import type { Shape } from './shape';

type Flat = Extract<Shape, { kind: 'ring' | 'grid' }>;

interface Place extends Point {
  /** The direction of the hosts, seen from the switch. */
  out: Point;
}

const hostSize = 9;
const hostDistance = 34;
const widestSwitch = 84;

/** The point where a line from the centre of a box to `to` leaves the box. */
function border(box: SwitchPlace, to: Point): Point {
  const [dx, dy] = [to.x - box.x, to.y - box.y];
  const share = Math.min(box.width / 2 / (Math.abs(dx) || 1e-9), box.height / 2 / (Math.abs(dy) || 1e-9));
  return share >= 1 ? { x: box.x, y: box.y } : { x: box.x + dx * share, y: box.y + dy * share };
}

/** The number of hosts side by side on the outside of a switch. */
function hostsAcross(most: number): number {
  return most <= 8 ? Math.max(1, most) : Math.ceil(Math.sqrt(most * 2));
}

export function layOutFlat(plan: Plan, shape: Flat, width: number, zoom: number, keep: ReadonlySet<number> | null): Layout {
  const most = Math.max(0, ...plan.switches.map((node) => plan.hosts(node, keep).length));
  const across = hostsAcross(most);
  const depth = most === 0 ? 0 : hostDistance + Math.ceil(most / across) * hostSize;
  const { places, height, slot } = shape.kind === 'ring' ? onCircle(shape, width, zoom, depth, across) : inGrid(shape, width, zoom, depth, across);
  const boxOf = new Map<number, SwitchPlace>();
  plan.switches.forEach((node, i) => {
    const { x, y } = places[i]!;
    if (keep && !keep.has(node)) return;
    const boxWidth = Math.max(16, Math.min(widestSwitch, slot * 0.55));
    boxOf.set(node, { node, name: plan.name(node), label: labelFor(plan.name(node), boxWidth), tier: plan.tier(node), x, y, width: boxWidth, height: switchHeight, ports: plan.leaving[node] ?? [] });
  });
  const hosts: HostPlace[] = [];
  const lines: LinkPlace[] = [];
  const hostLines = most <= 8;
  plan.switches.forEach((edge, i) => {
    const box = boxOf.get(edge);
    if (box) addHosts(plan, box, places[i]!, plan.hosts(edge, keep), across, hostLines, hosts, lines);
  });
  addLinks(plan, shape, boxOf, lines);
  return { width: width * zoom, height, switches: [...boxOf.values()], hosts, lines, hostLines, rows: [] };
}

interface Placed {
  places: Place[];
  height: number;
  /** Space per switch. */
  slot: number;
}

function onCircle(shape: Extract<Shape, { kind: 'ring' }>, width: number, zoom: number, depth: number, across: number): Placed {
  const many = shape.order.length;
  const room = Math.max(116, across * hostSize + 24);
  const edge = depth + margin + widestSwitch / 2;
  const widest = Math.max(60, width / 2 - edge);
  const radius = Math.max(Math.min(widest, Math.max(110, (many * room) / (2 * Math.PI))), 60) * zoom;
  // Wide pages have space beside a circle that is as high as it is wide: use an ellipse.
  const wide = Math.min(Math.max(radius, 60), Math.max(60, (width * zoom) / 2 - edge));
  const high = Math.min(radius, 270 * zoom);
  const middle = { x: (width * zoom) / 2, y: margin + 16 + depth + switchHeight / 2 + high };
  const places: Place[] = new Array<Place>(many);
  shape.order.forEach((at, i) => {
    const angle = (i / many) * 2 * Math.PI - Math.PI / 2;
    const out = { x: Math.cos(angle), y: Math.sin(angle) };
    places[at] = { x: middle.x + wide * out.x, y: middle.y + high * out.y, out };
  });
  return { places, height: Math.ceil(middle.y + high + switchHeight / 2 + depth + margin), slot: ((wide + high) * Math.PI) / many };
}

function inGrid(shape: Extract<Shape, { kind: 'grid' }>, width: number, zoom: number, depth: number, across: number): Placed {
  const across1 = (width * zoom - 2 * margin) / shape.columns;
  const cell = { width: Math.min(across1, Math.max(220, across * hostSize * 2) * zoom), height: Math.max(96, switchHeight + depth + 40) * Math.max(1, zoom * 0.7) };
  const left = (width * zoom - cell.width * shape.columns) / 2;
  const around = shape.wraps ? 26 : 0;
  const places = shape.cell.map(({ row, column }) => ({
    x: left + (column + 0.5) * cell.width,
    y: margin + 18 + around + switchHeight / 2 + row * cell.height,
    // Beside the link that leads down.
    out: { x: Math.SQRT1_2, y: Math.SQRT1_2 },
  }));
  return { places, height: Math.ceil(margin * 2 + 18 + 2 * around + switchHeight + depth + (shape.rows - 1) * cell.height), slot: cell.width };
}

function addHosts(plan: Plan, box: SwitchPlace, place: Place, members: number[], across: number, hostLines: boolean, hosts: HostPlace[], lines: LinkPlace[]): void {
  const { out } = place;
  // The extent of the box in this direction, plus the length of a line.
  const reach = Math.abs(out.x) * (box.width / 2) + Math.abs(out.y) * (box.height / 2) + (hostLines ? hostDistance - 12 : 10);
  members.forEach((node, i) => {
    const row = Math.floor(i / across);
    const inRow = Math.min(across, members.length - row * across);
    const side = (i % across) - (inRow - 1) / 2;
    const from = { x: box.x + out.x * (reach + row * hostSize), y: box.y + out.y * (reach + row * hostSize) };
    const host: HostPlace = {
      node,
      name: plan.name(node),
      x: from.x - out.y * side * (hostSize + 1),
      y: from.y + out.x * side * (hostSize + 1),
      width: hostSize - 1,
      height: hostSize - 1,
      up: plan.leaving[node]?.[0] ?? -1,
      down: plan.back[plan.leaving[node]?.[0] ?? -1] ?? -1,
    };
    hosts.push(host);
    if (hostLines) addPair(lines, plan, host.down, border(box, host), { x: host.x - out.x * 4, y: host.y - out.y * 4 }, 1.2);
  });
}

function addLinks(plan: Plan, shape: Flat, boxOf: Map<number, SwitchPlace>, lines: LinkPlace[]): void {
  const parallel = new Map<string, number>();
  plan.links.forEach(({ from, to }, link) => {
    const [a, b] = [boxOf.get(from), boxOf.get(to)];
    if (!a || !b || (plan.back[link] ?? -1) < link) return;
    // Further links between the same two nodes are bent away from the first.
    const key = `${Math.min(from, to)}/${Math.max(from, to)}`;
    const before = parallel.get(key) ?? 0;
    parallel.set(key, before + 1);
    const bend = around(plan, shape, a, b) ?? (before === 0 ? null : bow(a, b, Math.ceil(before / 2) * 13 * (before % 2 === 1 ? 1 : -1)));
    if (!bend) addPair(lines, plan, link, border(a, b), border(b, a), 1.8);
    else addArc(lines, plan, link, border(a, middleOf(a, b, bend)), border(b, middleOf(a, b, bend)), bend, 1.6);
  });
}

function middleOf(a: Point, b: Point, bend: Point): Point {
  return { x: (a.x + b.x) / 2 + bend.x * 2, y: (a.y + b.y) / 2 + bend.y * 2 };
}

function bow(a: Point, b: Point, far: number): Point {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  return { x: (-(b.y - a.y) / length) * far, y: ((b.x - a.x) / length) * far };
}

/** The links of a torus around its edge pass above the row, or beside the column, that they close. */
function around(plan: Plan, shape: Flat, a: SwitchPlace, b: SwitchPlace): Point | null {
  if (shape.kind !== 'grid' || !shape.wraps) return null;
  const cell = (box: SwitchPlace) => shape.cell[plan.switches.indexOf(box.node)]!;
  const [from, to] = [cell(a), cell(b)];
  if (Math.abs(from.column - to.column) > 1) return { x: 0, y: -26 };
  if (Math.abs(from.row - to.row) > 1) return { x: -Math.min(46, a.width * 0.9), y: 0 };
  return null;
}
