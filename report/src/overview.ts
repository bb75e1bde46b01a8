// SPDX-License-Identifier: Apache-2.0
// The answer: the runs side by side, and in words.
import { Group, isWhole, type Report, type Run } from './data';
import { element, scrolling } from './dom';
import { deadlockOf, findingBoxes } from './findings';
import { count, duration, nothing, number, percent, plural } from './format';
import { theme } from './theme';
import { swatch } from './charts/options';
import { tiersOf } from './charts/buffers';

export interface Column {
  head: string;
  name: string;
  /** Null: no value for this run. */
  value: (run: Run) => number | null;
  text: (value: number, run: Run) => string;
  /** A larger value gets a longer bar. */
  bar: boolean;
}

export function columnsOf(report: Report): Column[] {
  const columns: Column[] = [];
  const any = (holds: (run: Run) => boolean): boolean => report.runs.some(holds);
  for (const group of [Group.victim, Group.background, Group.incast]) {
    if (!any((run) => (run.groups[group]?.flows ?? 0) > 0)) continue;
    const head = `${report.groups[group]} slowdown`;
    columns.push({ head, name: 'average', value: (run) => run.groups[group]?.slowdown?.mean ?? null, text: number, bar: true });
    columns.push({ head, name: 'p99', value: (run) => run.groups[group]?.slowdown?.p99 ?? null, text: number, bar: true });
  }
  for (const { tier, name } of tiersOf(report)) {
    const value = (run: Run) => run.tiers.find((at) => at.tier === tier)?.maximum ?? null;
    columns.push({ head: 'largest buffer, MB', name, value, text: (bytes) => number(bytes / 1e6), bar: true });
  }
  columns.push({ head: 'pauses', name: 'sent', value: (run) => run.pauses, text: count, bar: true });
  columns.push({ head: 'pauses', name: 'time, %', value: (run) => run.pausedShare, text: percent, bar: true });
  if (any((run) => Boolean(run.holds[Group.notIncast]))) {
    const value = (run: Run) => run.holds[Group.notIncast]?.innocentShare ?? null;
    columns.push({ head: 'pauses', name: 'innocent, %', value, text: percent, bar: true });
  }
  columns.push({ head: 'losses', name: 'drops', value: (run) => run.dropped, text: count, bar: true });
  columns.push({ head: 'losses', name: 'resent, %', value: (run) => run.retransmittedShare, text: percent, bar: true });
  const all = (run: Run) => run.groups[Group.all];
  if (any((run) => all(run)?.completed !== all(run)?.due)) {
    columns.push({
      head: 'flows',
      name: 'completed',
      value: (run) => all(run)?.completed ?? null,
      text: (completed, run) => `${count(completed)} of ${count(all(run)?.due ?? 0)}`,
      bar: false,
    });
  }
  return columns;
}

/** The name of a run with its line, and a mark if the run is not whole. */
export function runName(run: Run): HTMLElement {
  const name = element('span', { class: 'run-name' }, swatch(theme(), run.look), run.label);
  if (!isWhole(run)) name.append(' ', element('span', { class: 'mark' }, run.failure === '' ? 'INTERRUPTED' : 'FAILED'));
  return name;
}

function comparison(report: Report): HTMLTableElement {
  const columns = columnsOf(report);
  const starts = columns.map((column, i) => columns[i - 1]?.head !== column.head);
  const heads = element('tr', { class: 'heads' }, element('td'));
  columns.forEach((column, i) => {
    if (!starts[i]) return;
    const span = columns.filter(({ head }) => head === column.head).length;
    heads.append(element('th', { scope: 'colgroup', colspan: span, class: 'starts' }, column.head));
  });
  const names = element('tr', {}, element('th', { scope: 'col' }, 'run'));
  columns.forEach((column, i) => names.append(element('th', { scope: 'col', class: starts[i] ? 'starts' : undefined }, column.name)));
  const largest = columns.map((column) => Math.max(...report.runs.map((run) => column.value(run) ?? 0)));
  const body = element('tbody');
  report.runs.forEach((run) => {
    const row = element('tr', {}, element('th', { scope: 'row' }, runName(run)));
    columns.forEach((column, i) => {
      const value = column.value(run);
      const share = column.bar && value !== null && (largest[i] ?? 0) > 0 ? (value / (largest[i] ?? 1)) * 100 : 0;
      const attributes = { class: starts[i] ? 'starts' : undefined, style: share > 0 ? `--share:${share.toFixed(1)}%` : undefined };
      row.append(element('td', attributes, value === null ? nothing : column.text(value, run)));
    });
    body.append(row);
  });
  return element('table', { class: 'overview' }, element('thead', {}, heads, names), body);
}

function factsOf(report: Report): string {
  const hosts = (network: Report['networks'][number]) => network.nodes.filter(([, tier]) => tier === 0).length;
  const networks = report.networks.map((network) => {
    const switches = network.nodes.length - hosts(network);
    return `${plural(hosts(network), 'host')}, ${plural(switches, 'switch', 'switches')}, ${plural(network.links.length / 2, 'link')}`;
  });
  const times = report.runs.map((run) => run.simulatedUs);
  const [shortest, longest] = [Math.min(...times), Math.max(...times)];
  const simulated = duration(shortest) === duration(longest) ? duration(longest) : `${duration(shortest)} to ${duration(longest)}`;
  const versions = [...new Set(report.runs.map((run) => run.version))].join(', ');
  // Of replicates one per point is shown one by one.
  const all = report.replicates.reduce((sum, at) => sum + at.seeds.length, 0);
  const count = all > report.runs.length ? `${plural(all, 'run')}, of which ${report.runs.length} are shown individually:` : `${plural(report.runs.length, 'run')} of`;
  return `${count} ${simulated} · ${networks.join('; ')} · Weir ${versions}`;
}

function warnings(report: Report): HTMLElement[] {
  const missing = `Not run yet and therefore not shown: ${report.missing.join(', ')}.`;
  const absent = report.missing.length === 0 ? [] : [element('p', { class: 'warning', role: 'note' }, missing)];
  const broken = report.runs.flatMap((run) => {
    if (isWhole(run) || deadlockOf(run)) return [];
    const what = run.failure === '' ? `was interrupted at ${duration(run.simulatedUs)}.` : `failed at ${duration(run.simulatedUs)}: ${run.failure}.`;
    return [element('p', { class: 'warning', role: 'note' }, element('b', {}, run.label), ` ${what} The results until then are shown.`)];
  });
  return [...broken, ...absent];
}

export function addHead(parent: HTMLElement, report: Report): void {
  parent.append(element('h1', {}, report.title || 'Weir report'));
  if (report.question !== '') parent.append(element('p', { class: 'question' }, report.question));
  if (report.runs.length === 0) {
    parent.append(element('p', { class: 'warning' }, 'There are no runs to report on.'), ...warnings(report));
    return;
  }
  parent.append(element('p', { class: 'facts' }, factsOf(report)), ...warnings(report), ...findingBoxes(report));
}

export function addOverview(parent: HTMLElement, report: Report): void {
  parent.append(element('h3', {}, 'The runs side by side'), scrolling('The runs side by side', comparison(report)));
  const legend =
    'Slowdown: completion time of a flow divided by its ideal FCT (without other traffic). Victims share a rack with the destination of an incast. ' +
    'Maximum buffer: over all switches of the tier. Time paused: mean over all link directions. ' +
    'Innocent: for flows outside an incast, the fraction of pause-induced waiting that came from congestion not on the packet’s path. ' +
    'Bars compare the values of a column.';
  parent.append(element('p', { class: 'note' }, legend));
  if (report.statements.length === 0) return;
  parent.append(element('h3', {}, 'In words'));
  parent.append(element('ul', { class: 'statements' }, ...report.statements.map((statement) => element('li', {}, statement))));
}
