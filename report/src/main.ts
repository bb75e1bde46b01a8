// SPDX-License-Identifier: Apache-2.0
// The report: puts the sections on the page.
import { anchorInAddress, followAddress, inAddress, toAddress } from './address';
import { Answer } from './answer';
import { bufferByTier, bufferCurves, occupancies, tiersOf } from './charts/buffers';
import { drops, retransmissions } from './charts/losses';
import { linesOverTime, mostTogether, type Line, type LinesSpec } from './charts/over_time';
import { innocentPause, pairsOf, pausesByTier } from './charts/pauses';
import { slowdownByLabel, slowdownBySize, slowdownCurves, statistics } from './charts/slowdown';
import { ChartCard, type ChartSpec } from './chart_card';
import { addConfiguration } from './configuration';
import { Group, groupsWithFlows, labelsWithFlows, readReport, type Report } from './data';
import { chooser, element } from './dom';
import { bitRate, bytes, number } from './format';
import { NetworkSection } from './network/section';
import { addHead, addOverview } from './overview';
import { addPictures } from './pictures';
import { Selection } from './selection';
import { addSweep } from './sweep';
import { onThemeChange } from './theme';
import { addTrees, hasTrees } from './trees';

/** Functions that redraw when colours or the shown runs change. */
let updates: (() => void)[] = [];

/** Common data of the sections of a page. */
interface Page {
  /** All runs. */
  report: Report;
  /** Only the runs that the reader chose. */
  view: () => Report;
}

function section(parent: HTMLElement, id: string, title: string, intro: string): HTMLElement {
  const made = element('section', { id, 'aria-labelledby': `${id}-title` }, element('h2', { id: `${id}-title` }, title), element('p', { class: 'note' }, intro));
  parent.append(made);
  return made;
}

function cards(parent: HTMLElement): HTMLElement {
  const made = element('div', { class: 'cards' });
  parent.append(made);
  return made;
}

function card(parent: HTMLElement, spec: ChartSpec): ChartCard {
  const made = new ChartCard(parent, spec);
  updates.push(() => made.update());
  return made;
}

/** The visible time in milliseconds, common to all charts over time; null: all. */
let span: [number, number] | null = null;
let timeCharts: ChartCard[] = [];

function spanInAddress(): [number, number] | null {
  const [from, to] = (inAddress('zoom') ?? '').split(',').map(Number);
  return from !== undefined && to !== undefined && Number.isFinite(from) && to > from ? [from, to] : null;
}

function zoomTo(seen: [number, number] | null, by: ChartCard): void {
  const text = seen && seen.map((ms) => Number(ms.toPrecision(7))).join(',');
  if (text === (span && span.map((ms) => Number(ms.toPrecision(7))).join(','))) return;
  span = seen;
  toAddress('zoom', text);
  for (const other of timeCharts) if (other !== by) other.update();
}

/** A chart of lines over time, with a choice whether runs share a plot. */
function timeCard(page: Page, key: string, parent: HTMLElement, caption: string, controls: HTMLElement[], spec: () => Omit<LinesSpec, 'apart' | 'span'>): ChartCard {
  const together = chooser(
    `${key}.plots`,
    'Runs',
    [{ value: false, label: 'in one plot' }, { value: true, label: 'each in its own' }],
    page.report.runs.length > mostTogether ? 1 : 0,
    () => made.update(),
  );
  const made: ChartCard = card(parent, {
    caption,
    controls: page.report.runs.length > 1 ? [...controls, together.root] : controls,
    wide: true,
    zoomed: (seen) => zoomTo(seen, made),
    model: (colors, room) => linesOverTime(page.view(), { ...spec(), apart: page.report.runs.length > 1 && together.value(), span }, colors, room),
  });
  timeCharts.push(made);
  return made;
}

function addNetwork(parent: HTMLElement, { report }: Page): void {
  const at = section(
    parent,
    'network',
    'The network over time',
    'Each link has two lines, one per direction; the right-hand line of a direction carries its traffic. Move the time slider to see congestion trees grow and shrink. Point at a switch or link to see its values; click it to keep them.',
  );
  at.classList.add('network');
  const made = new NetworkSection(at, report);
  updates.push(() => made.update());
}

function addSlowdown(parent: HTMLElement, { report, view }: Page): void {
  const at = section(parent, 'slowdown', 'Completion times', 'Slowdown: completion time of a flow divided by its ideal FCT (without other traffic), never below 1. Completed flows only.');
  const groups = groupsWithFlows(report);
  // The flows outside the incast are the most important ones.
  const first: number = groups.includes(Group.notIncast) ? Group.notIncast : (groups[0] ?? Group.all);
  const made: ChartCard[] = [];
  const update = () => made.forEach((chart) => chart.update());
  const group = chooser('flows', 'Flows', groups.map((value) => ({ value, label: report.groups[value] ?? '' })), groups.indexOf(first), update);
  const statistic = chooser('statistic', 'Statistic', statistics, 3, update);
  at.append(element('div', { class: 'controls' }, group.root, statistic.root));
  const grid = cards(at);
  const seeds = report.replicates.length > 0 ? ' Bars of average and p99 outside incasts are means over seeds with 95 % intervals; all else is of the run that stands for them.' : '';
  made.push(
    card(grid, { caption: `The p99 of fewer than 100 flows is their maximum.${seeds}`, model: (colors, room) => slowdownBySize(view(), group.value(), statistic.value(), colors, room) }),
    card(grid, { caption: 'Fraction of flows with at most this slowdown.', model: (colors, room) => slowdownCurves(view(), group.value(), colors, room) }),
  );
  // A single label adds nothing to its class.
  if (labelsWithFlows(report).length > 1) {
    made.push(
      card(grid, { caption: "By the labels that the scenario gives its traffic, whatever the flows' class and size.", model: (colors, room) => slowdownByLabel(view(), statistic.value(), colors, room) }),
    );
  }
}

function addBuffers(parent: HTMLElement, page: Page): void {
  const { report, view } = page;
  const at = section(parent, 'buffers', 'Buffers', 'Buffer use of switches. The maximum is exact; all other values are sampled.');
  const tiers = tiersOf(report);
  const tierChoices = (tiers.length > 0 ? tiers : [{ tier: 1, name: 'ToR' }]).map((value) => ({ value, label: value.name }));
  const grid = cards(at);
  const statistic = chooser('buffers', 'Statistic', occupancies, 0, () => bars.update());
  const bars: ChartCard = card(grid, {
    caption: 'Per switch; the maximum is over all switches.',
    controls: [statistic.root],
    model: (colors, room) => bufferByTier(view(), statistic.value(), colors, room),
  });
  const tier = chooser('buffers.tier', 'Tier', tierChoices, 0, () => curves.update());
  const curves: ChartCard = card(grid, {
    caption: 'All samples of all switches of the tier.',
    controls: [tier.root],
    model: (colors, room) => bufferCurves(view(), tier.value().tier, tier.value().name, colors, room),
  });
  const over = chooser('queues.tier', 'Tier', tierChoices, 0, () => lines.update());
  const which = chooser('queues', 'Of', [{ value: 'fullest' as const, label: 'the fullest switch' }, { value: 'total' as const, label: 'all switches' }], 0, () => lines.update());
  const lines: ChartCard = timeCard(page, 'queues', grid, 'Bytes in the queues of ports; each value is the maximum of its interval.', [over.root, which.root], () => ({
    title: `Queues over time: ${over.value().name}, ${which.value() === 'fullest' ? 'the fullest switch' : 'all switches'}`,
    description: 'Bytes queued.',
    axis: 'bytes queued',
    format: bytes,
    empty: 'No run recorded a timeline ([measure] timeline = false).',
    of: (run) => queuesOf(view(), run, over.value().tier, which.value()),
  }));
}

function queuesOf(report: Report, run: number, tier: number, which: 'fullest' | 'total'): Line | null {
  const series = report.runs[run]?.timeline?.series;
  const found = series?.queues.find((at) => at.tier === tier);
  return series && found ? { intervalUs: series.intervalUs, values: found[which] } : null;
}

function addPauses(parent: HTMLElement, page: Page): void {
  const { report, view } = page;
  const at = section(parent, 'pauses', 'Pauses', 'A pause blocks a whole priority at the other end of a link, including flows that did not cause the congestion.');
  const pairs = [{ pausedTier: -1, pausingTier: -1, name: 'all links' }, ...pairsOf(report)];
  const grid = cards(at);
  card(grid, { caption: 'Fraction of the simulated time, over all links between the two tiers.', model: (colors, room) => pausesByTier(view(), colors, room) });
  if (report.runs.some((run) => run.holds.some((hold) => hold !== null))) {
    card(grid, {
      caption: 'Fraction of pause-induced waiting that came from congestion not on the packet’s path: head-of-line blocking.',
      model: (colors, room) => innocentPause(view(), colors, room),
    });
  }
  const pair = chooser('pauses', 'Links', pairs.map((value) => ({ value, label: value.name })), 0, () => lines.update());
  const lines: ChartCard = timeCard(page, 'pauses', grid, 'Number of paused link directions, mean over each interval.', [pair.root], () => ({
    title: `Links paused over time: ${pair.value().name}`,
    description: 'Number of paused link directions.',
    axis: 'links paused',
    format: number,
    empty: pairs.length === 1 ? 'No run sent a pause.' : 'No run recorded a timeline ([measure] timeline = false).',
    of: (run) => heldOf(view(), run, pair.value().pausedTier, pair.value().pausingTier),
  }));
}

/** Number of links paused over time between two tiers; -1: all. */
function heldOf(report: Report, run: number, pausedTier: number, pausingTier: number): Line | null {
  const series = report.runs[run]?.timeline?.series;
  if (!series || (report.runs.every((at) => at.pauses === 0))) return null;
  const wanted = series.pauses.filter((at) => pausedTier < 0 || (at.pausedTier === pausedTier && at.pausingTier === pausingTier));
  const values = series.delivered.map((_, i) => wanted.reduce((sum, at) => sum + (at.held[i] ?? 0), 0));
  return { intervalUs: series.intervalUs, values };
}

function addTreeSection(parent: HTMLElement, { report }: Page): void {
  const at = section(
    parent,
    'trees',
    'Congestion trees',
    'A congestion tree begins at a congestion root, the port that is congested by its own load. Its members are the nodes that are paused for this root. A bar lasts while any is; a vertical line shows that a root was given up because its port belongs to the tree of another root.',
  );
  updates.push(addTrees(at, report));
}

/** The meaning of a series in bit/s: the payload of a class of flows, or the frames of a kind on all links. */
function labelOfRate(name: string): string {
  if (name.startsWith('links.')) return `${name.replace(/^links\./, '')} frames on all links`;
  return `payload of ${name.replace(/^throughput\./, '')} flows`;
}

function addThroughput(parent: HTMLElement, page: Page): void {
  const { report, view } = page;
  const at = section(parent, 'throughput', 'Throughput', 'Payload received by hosts.');
  const named = [...new Set(report.runs.flatMap((run) => run.series.filter(({ unit }) => unit === 'bit/s').map(({ name }) => name)))];
  const choices = [
    { value: '', label: 'all frames, with headers and acknowledgements' },
    ...named.map((value) => ({ value, label: labelOfRate(value) })),
  ];
  const chosen = chooser('throughput', 'Of', choices, 0, () => lines.update());
  const caption = 'Mean over each interval, per flow class at that time: before an incast begins, its victims are background flows.';
  const lines: ChartCard = timeCard(page, 'throughput', cards(at), caption, [chosen.root], () => ({
    title: `Throughput over time: ${choices.find(({ value }) => value === chosen.value())?.label ?? ''}`,
    description: 'Bits per second received by hosts, per flow class at that time.',
    axis: 'throughput',
    format: bitRate,
    empty: 'No run recorded it over time ([measure] timeline, throughput).',
    of: (run) => rateOf(view(), run, chosen.value()),
  }));
}

function rateOf(report: Report, run: number, name: string): Line | null {
  const at = report.runs[run];
  if (name === '') return at?.timeline ? { intervalUs: at.timeline.series.intervalUs, values: at.timeline.series.delivered } : null;
  const found = at?.series.find((series) => series.name === name);
  return found ? { intervalUs: found.intervalUs, values: found.values } : null;
}

function addLosses(parent: HTMLElement, { view }: Page): void {
  const at = section(parent, 'losses', 'Drops and retransmissions', 'Frames dropped by switches and retransmitted by NICs.');
  const grid = cards(at);
  card(grid, { caption: 'Frames of all kinds.', model: (colors, room) => drops(view(), colors, room) });
  card(grid, { caption: 'As a fraction of the data frames sent by NICs.', model: (colors, room) => retransmissions(view(), colors, room) });
}

function addNavigation(parent: HTMLElement, report: Report): void {
  const places = [
    ['answer', 'Which is best'],
    ...(report.replicates.length > 0 ? [['sweep', report.parameters.length > 0 ? 'The sweep' : 'Over seeds']] : []),
    ...(report.pictures.length > 0 ? [['pictures', 'Pictures of the scenario']] : []),
    ['network', 'The network over time'],
    ['slowdown', 'Completion times'],
    ['buffers', 'Buffers'],
    ['pauses', 'Pauses'],
    ...(hasTrees(report) ? [['trees', 'Congestion trees']] : []),
    ['throughput', 'Throughput'],
    ['losses', 'Losses'],
    ['runs', 'What was run'],
  ];
  parent.append(element('nav', { 'aria-label': 'Sections' }, ...places.map(([id, name]) => element('a', { href: `#${id}` }, name ?? ''))));
}

function show(report: Report): void {
  const main = document.getElementById('report');
  if (!main) return;
  document.title = report.title === '' ? 'Weir report' : `${report.title} – Weir`;
  updates = [];
  timeCharts = [];
  span = spanInAddress();
  main.replaceChildren();
  addHead(main, report);
  if (report.runs.length === 0) return;
  addNavigation(main, report);
  const selection = new Selection(report, () => updates.forEach((update) => update()));
  const page: Page = { report, view: () => selection.view() };
  main.append(selection.root);
  const answer = new Answer(page.view);
  updates.push(() => answer.update());
  const overview = element('div');
  main.append(answer.root, overview);
  const fill = () => {
    overview.replaceChildren();
    addOverview(overview, page.view());
  };
  fill();
  updates.push(fill);
  addSweep(main, report, page.view, (spec, at) => card(at, spec));
  addPictures(main, report);
  addNetwork(main, page);
  addSlowdown(main, page);
  addBuffers(main, page);
  addPauses(main, page);
  if (hasTrees(report)) addTreeSection(main, page);
  addThroughput(main, page);
  addLosses(main, page);
  addConfiguration(section(main, 'runs', 'What was run', 'The same scenario, seed and version give the same digest on any machine.'), report);
  recolour = () => selection.update();
}

let recolour = (): void => undefined;

function begin(): void {
  const report = readReport();
  followAddress(() => show(report));
  show(report);
  onThemeChange(() => {
    recolour();
    updates.forEach((update) => update());
  });
  // The browser searched for the section before it existed.
  if (anchorInAddress() !== '') document.getElementById(anchorInAddress())?.scrollIntoView();
}

begin();
