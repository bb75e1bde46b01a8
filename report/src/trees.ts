// SPDX-License-Identifier: Apache-2.0
// Congestion trees over time ([measure] congestion_trees): roots, members, who is paused by whom, and merges.
import type { Report, Run } from './data';
import { chooser, element, scrolling, table } from './dom';
import { count, duration, nothing, plural } from './format';
import { theme } from './theme';

/** From the first pause for a root until none is in force. */
interface Tree {
  /** Its row, to which its pauses refer. */
  number: number;
  /** "tor0:3", as in `merged`. */
  root: string;
  to: string;
  begin: number;
  end: number;
  members: number;
  most: number;
  hosts: number;
  depth: number;
  pauses: number;
  /** The root whose tree it joined; "": none. */
  merged: string;
  mergedAt: number;
}

interface TreePause {
  paused: string;
  by: string;
  begin: number;
  end: number;
}

/** More would make the page long; the largest are shown. */
const mostRoots = 24;
const mostTrees = 60;
const mostPauses = 200;

const rowHeight = 20;
const nameWidth = 190;
const width = 1000;

/** The rows of a kind of statistics, each as a function from the name of a column to its value. */
function rowsOf(run: Run, kind: string): ((column: string) => number | string)[] {
  const found = run.statistics[kind];
  if (!found) return [];
  const at = new Map(found.columns.map((name, i) => [name, i]));
  return found.rows.map((row) => (column) => row[at.get(column) ?? -1] ?? '');
}

function treesOf(run: Run): Tree[] {
  return rowsOf(run, 'congestion_trees').map((value, number) => ({
    number,
    root: `${value('root_name')}:${value('root_port')}`,
    to: String(value('root_to_name')),
    begin: Number(value('begin_us')),
    end: Number(value('end_us')),
    members: Number(value('members')),
    most: Number(value('most_members')),
    hosts: Number(value('hosts')),
    depth: Number(value('depth')),
    pauses: Number(value('pauses')),
    merged: String(value('merged_into')),
    mergedAt: Number(value('merged_us')),
  }));
}

function pausesOf(run: Run, tree: Tree): TreePause[] {
  return rowsOf(run, 'tree_pauses')
    .filter((value) => value('tree') === tree.number)
    .map((value) => ({ paused: String(value('paused_name')), by: String(value('by_name')), begin: Number(value('begin_us')), end: Number(value('end_us')) }));
}

/** The root as a port: "tor0 → h3". */
function portOf(tree: Tree): string {
  return `${tree.root.slice(0, tree.root.lastIndexOf(':'))} → ${tree.to}`;
}

function svg(tag: string, attributes: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** One row per root, in the order in which they began; a bar per tree, darker with more members; a line per merge. */
function picture(run: Run, trees: Tree[]): SVGElement {
  const colors = theme();
  const pauses = new Map<string, number>();
  for (const tree of trees) pauses.set(tree.root, (pauses.get(tree.root) ?? 0) + tree.pauses);
  const shown = [...pauses].sort((a, b) => b[1] - a[1]).slice(0, mostRoots).map(([root]) => root);
  const rows = [...pauses.keys()].filter((root) => shown.includes(root));
  const x = (us: number) => nameWidth + (us / Math.max(run.simulatedUs, 1e-9)) * (width - nameWidth - 10);
  const y = (root: string) => rows.indexOf(root) * rowHeight;
  const most = Math.max(1, ...trees.map((tree) => tree.most));
  const height = rows.length * rowHeight + 24;
  const label = `Congestion roots over time in ${run.label}: a row per root, a bar while something is paused for it, a line where it merges into another`;
  const made = svg('svg', { viewBox: `0 0 ${width} ${height}`, width: '100%', role: 'img', 'aria-label': label, class: 'trees' });
  for (const root of rows) {
    const tree = trees.find((at) => at.root === root)!;
    made.append(svg('text', { x: nameWidth - 8, y: y(root) + 14, 'text-anchor': 'end', 'font-size': 12, fill: colors.text }, portOf(tree)));
  }
  for (const tree of trees) {
    if (!rows.includes(tree.root)) continue;
    const about = `${portOf(tree)}: ${duration(tree.begin)} to ${duration(tree.end)}, ${plural(tree.members, 'member')}`;
    const left = x(tree.begin);
    made.append(
      svg(
        'rect',
        { x: left, y: y(tree.root) + 3, width: Math.max(1.5, x(tree.end) - left), height: rowHeight - 6, fill: colors.pause, 'fill-opacity': (0.25 + (0.75 * tree.most) / most).toFixed(3) },
        svg('title', {}, about),
      ),
    );
  }
  for (const tree of trees) {
    if (!rows.includes(tree.root) || !rows.includes(tree.merged)) continue;
    const at = x(tree.mergedAt);
    made.append(
      svg('line', { x1: at, x2: at, y1: y(tree.root) + rowHeight / 2, y2: y(tree.merged) + rowHeight / 2, stroke: colors.cycle, 'stroke-width': 1.5, class: 'merge' }),
      svg('circle', { cx: at, cy: y(tree.merged) + rowHeight / 2, r: 3, fill: colors.cycle }),
    );
  }
  const ticks = 5;
  for (let i = 0; i <= ticks; ++i) {
    const us = (run.simulatedUs * i) / ticks;
    made.append(svg('text', { x: x(us), y: height - 6, 'text-anchor': i === 0 ? 'start' : i === ticks ? 'end' : 'middle', 'font-size': 11, fill: colors.faint }, duration(us)));
  }
  return made;
}

function pauseTable(run: Run, tree: Tree): HTMLElement {
  const pauses = pausesOf(run, tree);
  const rows = pauses.slice(0, mostPauses).map((pause) => [pause.paused, pause.by, duration(pause.begin), duration(pause.end)]);
  const caption = `Who is paused by whom for ${portOf(tree)}${pauses.length > mostPauses ? `: the first ${mostPauses} of ${count(pauses.length)} pauses` : ''}`;
  return scrolling(caption, table(['paused', 'by', 'from', 'until'], rows, caption));
}

function treeTable(run: Run, trees: Tree[], choose: (tree: Tree) => void): HTMLElement {
  const largest = [...trees].sort((a, b) => b.members - a.members || a.begin - b.begin).slice(0, mostTrees);
  const shown = largest.sort((a, b) => a.begin - b.begin);
  const head = ['root', 'from', 'until', 'members', 'at once', 'hosts', 'depth', 'pauses', 'merged into'];
  const body = shown.map((tree) => {
    const button = element('button', { type: 'button' }, portOf(tree));
    button.addEventListener('click', () => choose(tree));
    const cells = [duration(tree.begin), duration(tree.end), count(tree.members), count(tree.most), count(tree.hosts), count(tree.depth), count(tree.pauses), tree.merged === '' ? nothing : `${tree.merged} at ${duration(tree.mergedAt)}`];
    return element('tr', {}, element('th', { scope: 'row' }, button), ...cells.map((cell) => element('td', {}, cell)));
  });
  const many = trees.length > mostTrees ? `the ${mostTrees} with most members of ${count(trees.length)}` : plural(trees.length, 'tree');
  const made = element(
    'table',
    {},
    element('caption', {}, `Congestion trees of ${run.label}: ${many}. Select a root to see who is paused by whom.`),
    element('thead', {}, element('tr', {}, ...head.map((cell) => element('th', { scope: 'col' }, cell)))),
    element('tbody', {}, ...body),
  );
  return scrolling('Congestion trees', made);
}

export function hasTrees(report: Report): boolean {
  return report.runs.some((run) => treesOf(run).length > 0);
}

/** Fills the section; returns a function that draws it again, in other colours. */
export function addTrees(parent: HTMLElement, report: Report): () => void {
  const runs = report.runs.filter((run) => treesOf(run).length > 0);
  const place = element('div');
  const detail = element('div', { 'aria-live': 'polite' });
  const draw = () => {
    const run = which.value();
    const trees = treesOf(run);
    place.replaceChildren(picture(run, trees), treeTable(run, trees, (tree) => detail.replaceChildren(pauseTable(run, tree))));
  };
  const which = chooser(
    'trees',
    'Run',
    runs.map((run) => ({ value: run, label: run.label })),
    0,
    () => {
      detail.replaceChildren();
      draw();
    },
  );
  parent.append(element('div', { class: 'controls' }, which.root), place, detail);
  draw();
  return draw;
}
