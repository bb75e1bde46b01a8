// SPDX-License-Identifier: Apache-2.0
// The shape of a network of switches: tiers above each other, or a line, a ring, a mesh.

/** Switches are given by their index in the list passed. */
export type Shape =
  | { kind: 'tiers' }
  | { kind: 'line'; order: number[] }
  /** On a circle, in this order: a ring, or a network of no better shape. */
  | { kind: 'ring'; order: number[] }
  /** Rows and columns; with `wraps`, the ends of each are linked: a torus. */
  | { kind: 'grid'; rows: number; columns: number; cell: { row: number; column: number }[]; wraps: boolean };

/** For each switch, those linked with it, each once. */
export type Neighbours = number[][];

function distances(neighbours: Neighbours, from: number): number[] {
  const distance = new Array<number>(neighbours.length).fill(-1);
  const reached = [from];
  distance[from] = 0;
  for (let i = 0; i < reached.length; ++i) {
    const at = reached[i]!;
    for (const next of neighbours[at]!) {
      if (distance[next]! >= 0) continue;
      distance[next] = distance[at]! + 1;
      reached.push(next);
    }
  }
  return distance;
}

/** The order from `start` along a path or a circle, each next to the previous one. */
function walk(neighbours: Neighbours, start: number): number[] {
  const order = [start];
  const seen = new Set(order);
  for (;;) {
    const next = neighbours[order[order.length - 1]!]!.find((at) => !seen.has(at));
    if (next === undefined) return order;
    order.push(next);
    seen.add(next);
  }
}

/** A mesh without links around its edges: positions follow from the distances to two corners of one side. */
function meshOf(neighbours: Neighbours): Shape | null {
  const many = neighbours.length;
  const corners = neighbours.flatMap((of, at) => (of.length === 2 ? [at] : []));
  const [a] = corners;
  if (a === undefined || corners.length < 4) return null;
  const links = neighbours.reduce((sum, of) => sum + of.length, 0) / 2;
  const toA = distances(neighbours, a);
  for (const b of corners) {
    const last = toA[b]!;
    if (b === a || last < 1) continue;
    const columns = last + 1;
    const rows = many / columns;
    if (!Number.isInteger(rows) || rows < 2 || links !== 2 * rows * columns - rows - columns) continue;
    const toB = distances(neighbours, b);
    const cell = toA.map((fromA, at) => ({ row: (fromA + toB[at]! - last) / 2, column: (fromA - toB[at]! + last) / 2 }));
    if (fits(neighbours, cell, rows, columns, false)) return { kind: 'grid', rows, columns, cell, wraps: false };
  }
  return null;
}

function fits(neighbours: Neighbours, cell: { row: number; column: number }[], rows: number, columns: number, wraps: boolean): boolean {
  const taken = new Set<number>();
  for (const { row, column } of cell) {
    if (!Number.isInteger(row) || !Number.isInteger(column) || row < 0 || row >= rows || column < 0 || column >= columns) return false;
    taken.add(row * columns + column);
  }
  const apart = (a: number, b: number, size: number): number => (wraps ? Math.min(Math.abs(a - b), size - Math.abs(a - b)) : Math.abs(a - b));
  const near = (a: number, b: number): boolean => apart(cell[a]!.row, cell[b]!.row, rows) + apart(cell[a]!.column, cell[b]!.column, columns) === 1;
  return taken.size === cell.length && neighbours.every((of, at) => of.every((next) => near(at, next)));
}

/** A torus whose switches are named row by row. */
function torusOf(neighbours: Neighbours): Shape | null {
  const many = neighbours.length;
  for (let rows = Math.floor(Math.sqrt(many)); rows >= 3; --rows) {
    const columns = many / rows;
    if (!Number.isInteger(columns) || !neighbours.every((of) => of.length === 4)) continue;
    const cell = neighbours.map((_, at) => ({ row: Math.floor(at / columns), column: at % columns }));
    if (fits(neighbours, cell, rows, columns, true)) return { kind: 'grid', rows, columns, cell, wraps: true };
  }
  return null;
}

/** Places neighbours near each other: the next one has the most links with the previous ones. */
function circleOrder(neighbours: Neighbours): number[] {
  const order: number[] = [];
  const links = new Array<number>(neighbours.length).fill(0);
  const left = new Set(neighbours.keys());
  while (left.size > 0) {
    const next = [...left].reduce((best, at) => (links[at]! > links[best]! ? at : best));
    order.push(next);
    left.delete(next);
    for (const at of neighbours[next]!) links[at]! += 1 + order.length / 1e3;
  }
  return order;
}

/** `tier`: of each switch. A network is flat if links join switches of one tier. */
export function shapeOf(neighbours: Neighbours, tier: number[]): Shape {
  const many = neighbours.length;
  const links = neighbours.reduce((sum, of) => sum + of.length, 0) / 2;
  const within = neighbours.reduce((sum, of, at) => sum + of.filter((next) => tier[next] === tier[at]).length, 0) / 2;
  const connected = many > 0 && distances(neighbours, 0).every((at) => at >= 0);
  if (many < 3 || !connected) return { kind: 'tiers' };
  if (links === many && neighbours.every((of) => of.length === 2)) {
    // Two ToRs below two spines form a circle, too.
    const leaves = tier.filter((at) => at === 1).length;
    if (!(many === 4 && leaves === 2 && within === 0)) return { kind: 'ring', order: walk(neighbours, 0) };
  }
  if (within * 2 <= links) return { kind: 'tiers' };
  const ends = neighbours.flatMap((of, at) => (of.length === 1 ? [at] : []));
  if (links === many - 1 && ends.length === 2) return { kind: 'line', order: walk(neighbours, ends[0]!) };
  return meshOf(neighbours) ?? torusOf(neighbours) ?? { kind: 'ring', order: circleOrder(neighbours) };
}
