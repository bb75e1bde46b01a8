// SPDX-License-Identifier: Apache-2.0
// The report: puts the sections on the page.
import { bufferByTier, bufferCurves, occupancies, tiersOf, type Occupancy } from './charts/buffers';
import { drops, retransmissions } from './charts/losses';
import { linesOverTime, type Line } from './charts/over_time';
import { innocentPause, pairsOf, pausesByTier } from './charts/pauses';
import { slowdownByLabel, slowdownBySize, slowdownCurves, statistics, type Statistic } from './charts/slowdown';
import { ChartCard, type ChartSpec } from './chart_card';
import { addConfiguration } from './configuration';
import { Group, groupsWithFlows, labelsWithFlows, readReport, type Report } from './data';
import { chooser, element } from './dom';
import { bitRate, bytes, number } from './format';
import { NetworkSection } from './network/section';
import { addHead, addOverview } from './overview';
import { onThemeChange } from './theme';

/** Called when colours change. */
const updates: (() => void)[] = [];

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

function addNetwork(parent: HTMLElement, report: Report): void {
  const at = section(
    parent,
    'network',
    'The network in time',
    'Each link is two lines, one for each direction; each drives on the right. Move the time to see a congestion tree grow and shrink; point at a switch or a link for its figures.',
  );
  at.classList.add('network');
  const made = new NetworkSection(at, report);
  updates.push(() => made.update());
}

function addSlowdown(parent: HTMLElement, report: Report): void {
  const at = section(parent, 'slowdown', 'Completion times', 'Slowdown: the completion time of a flow over that of the same flow alone on its path, never below 1. Only flows that completed count.');
  const groups = groupsWithFlows(report);
  // Who is not part of the incast is asked after first.
  let group: number = groups.includes(Group.notIncast) ? Group.notIncast : (groups[0] ?? Group.all);
  let statistic: Statistic = 'p99';
  const made: ChartCard[] = [];
  const update = () => made.forEach((chart) => chart.update());
  const groupChoices = groups.map((value) => ({ value, label: report.groups[value] ?? '' }));
  at.append(
    element(
      'div',
      { class: 'controls' },
      chooser('Flows', groupChoices, groups.indexOf(group), (value) => {
        group = value;
        update();
      }),
      chooser('Statistic', statistics, 3, (value) => {
        statistic = value;
        update();
      }),
    ),
  );
  const grid = cards(at);
  made.push(
    card(grid, { caption: 'The p99 of fewer than 100 flows is their maximum.', model: (colors, room) => slowdownBySize(report, group, statistic, colors, room) }),
    card(grid, { caption: 'Which share of the flows was slowed down by at most so much.', model: (colors, room) => slowdownCurves(report, group, colors, room) }),
  );
  // One label tells nothing that its class does not.
  if (labelsWithFlows(report).length > 1) {
    made.push(
      card(grid, { caption: "By the labels that the scenario gives its traffic, whatever the flows' class and size.", model: (colors, room) => slowdownByLabel(report, statistic, colors, room) }),
    );
  }
}

function addBuffers(parent: HTMLElement, report: Report): void {
  const at = section(parent, 'buffers', 'Buffers', 'What switches held. The maximum is exact; everything else is of samples.');
  const tiers = tiersOf(report);
  let statistic: Occupancy = 'maximum';
  let tier = tiers[0] ?? { tier: 1, name: 'ToR' };
  let which: 'fullest' | 'total' = 'fullest';
  let over = tier;
  const tierChoices = tiers.map((value) => ({ value, label: value.name }));
  const grid = cards(at);
  const bars: ChartCard = card(grid, {
    caption: 'Of one switch; the maximum is of the fullest.',
    controls: [
      chooser('Statistic', occupancies, 0, (value) => {
        statistic = value;
        bars.update();
      }),
    ],
    model: (colors, room) => bufferByTier(report, statistic, colors, room),
  });
  const curves: ChartCard = card(grid, {
    caption: 'Of all samples of all switches of the tier.',
    controls: [
      chooser('Tier', tierChoices, 0, (value) => {
        tier = value;
        curves.update();
      }),
    ],
    model: (colors, room) => bufferCurves(report, tier.tier, tier.name, colors, room),
  });
  const lines: ChartCard = card(grid, {
    caption: 'Bytes in the queues of ports; each value is the most of its interval.',
    controls: [
      chooser('Tier', tierChoices, 0, (value) => {
        over = value;
        lines.update();
      }),
      chooser('Of', [{ value: 'fullest' as const, label: 'the fullest switch' }, { value: 'total' as const, label: 'all switches' }], 0, (value) => {
        which = value;
        lines.update();
      }),
    ],
    wide: true,
    model: (colors, room) =>
      linesOverTime(
        report,
        {
          title: `Queues over time: ${over.name}, ${which === 'fullest' ? 'the fullest switch' : 'all switches'}`,
          description: 'Bytes queued.',
          format: bytes,
          empty: 'No run kept a timeline ([measure] timeline = false).',
          of: (run) => queuesOf(report, run, over.tier, which),
        },
        colors,
        room,
      ),
  });
}

function queuesOf(report: Report, run: number, tier: number, which: 'fullest' | 'total'): Line | null {
  const series = report.runs[run]?.timeline?.series;
  const found = series?.queues.find((at) => at.tier === tier);
  return series && found ? { intervalUs: series.intervalUs, values: found[which] } : null;
}

function addPauses(parent: HTMLElement, report: Report): void {
  const at = section(parent, 'pauses', 'Pauses', 'A pause holds all of a priority at the far end of a link, whoever is to blame.');
  const pairs = [{ pausedTier: -1, pausingTier: -1, name: 'all links' }, ...pairsOf(report)];
  let pair = pairs[0]!;
  const grid = cards(at);
  card(grid, { caption: 'Share of the simulated time, over all links of the two tiers.', model: (colors, room) => pausesByTier(report, colors, room) });
  if (report.runs.some((run) => run.holds.some((hold) => hold !== null))) {
    card(grid, {
      caption: 'Of the time that pauses held packets, the share for which the congestion was not on the packet’s path: head-of-line blocking itself.',
      model: (colors, room) => innocentPause(report, colors, room)!,
    });
  }
  const lines: ChartCard = card(grid, {
    caption: 'How many links, each direction counted, a pause held: a mean over each interval.',
    controls: [
      chooser('Links', pairs.map((value) => ({ value, label: value.name })), 0, (value) => {
        pair = value;
        lines.update();
      }),
    ],
    wide: true,
    model: (colors, room) =>
      linesOverTime(
        report,
        {
          title: `Links paused over time: ${pair.name}`,
          description: 'Number of links that are held by a pause.',
          format: number,
          empty: pairs.length === 1 ? 'No run sent a pause.' : 'No run kept a timeline ([measure] timeline = false).',
          of: (run) => heldOf(report, run, pair.pausedTier, pair.pausingTier),
        },
        colors,
        room,
      ),
  });
}

/** Links held over time between two tiers; -1: all. */
function heldOf(report: Report, run: number, pausedTier: number, pausingTier: number): Line | null {
  const series = report.runs[run]?.timeline?.series;
  if (!series || (report.runs.every((at) => at.pauses === 0))) return null;
  const wanted = series.pauses.filter((at) => pausedTier < 0 || (at.pausedTier === pausedTier && at.pausingTier === pausingTier));
  const values = series.delivered.map((_, i) => wanted.reduce((sum, at) => sum + (at.held[i] ?? 0), 0));
  return { intervalUs: series.intervalUs, values };
}

/** What a series of bits a second is of: the payload of a class of flows, or the frames of a kind on all links. */
function labelOfRate(name: string): string {
  if (name.startsWith('links.')) return `${name.replace(/^links\./, '')} frames on all links`;
  return `payload of ${name.replace(/^throughput\./, '')} flows`;
}

function addThroughput(parent: HTMLElement, report: Report): void {
  const at = section(parent, 'throughput', 'Throughput', 'What came to hosts.');
  const named = [...new Set(report.runs.flatMap((run) => run.series.filter(({ unit }) => unit === 'bit/s').map(({ name }) => name)))];
  const choices = [
    { value: '', label: 'all frames, with headers and acknowledgements' },
    ...named.map((value) => ({ value, label: labelOfRate(value) })),
  ];
  let chosen = choices[0]!;
  const lines: ChartCard = card(cards(at), {
    caption: 'A mean over each interval, by the class of a flow at that instant: until an incast begins, its victims are background.',
    controls: [
      chooser('Of', choices.map((value) => ({ value, label: value.label })), 0, (value) => {
        chosen = value;
        lines.update();
      }),
    ],
    wide: true,
    model: (colors, room) =>
      linesOverTime(
        report,
        {
          title: `Throughput over time: ${chosen.label}`,
          description: 'Bits a second that came to hosts; a flow is of the class that it has at that instant.',
          format: bitRate,
          empty: 'No run kept it over time ([measure] timeline, throughput).',
          of: (run) => rateOf(report, run, chosen.value),
        },
        colors,
        room,
      ),
  });
}

function rateOf(report: Report, run: number, name: string): Line | null {
  const at = report.runs[run];
  if (name === '') return at?.timeline ? { intervalUs: at.timeline.series.intervalUs, values: at.timeline.series.delivered } : null;
  const found = at?.series.find((series) => series.name === name);
  return found ? { intervalUs: found.intervalUs, values: found.values } : null;
}

function addLosses(parent: HTMLElement, report: Report): void {
  const at = section(parent, 'losses', 'Drops and retransmissions', 'What switches dropped and NICs sent again.');
  const grid = cards(at);
  card(grid, { caption: 'Frames of all kinds.', model: (colors, room) => drops(report, colors, room) });
  card(grid, { caption: 'Of the data frames that NICs sent.', model: (colors, room) => retransmissions(report, colors, room) });
}

function addNavigation(parent: HTMLElement): void {
  const places = [
    ['network', 'The network in time'],
    ['slowdown', 'Completion times'],
    ['buffers', 'Buffers'],
    ['pauses', 'Pauses'],
    ['throughput', 'Throughput'],
    ['losses', 'Losses'],
    ['runs', 'What was run'],
  ];
  parent.append(element('nav', { 'aria-label': 'Sections' }, ...places.map(([id, name]) => element('a', { href: `#${id}` }, name ?? ''))));
}

function show(): void {
  const report = readReport();
  const main = document.getElementById('report');
  if (!main) return;
  document.title = report.title === '' ? 'Weir report' : `${report.title} – Weir`;
  main.replaceChildren();
  addHead(main, report);
  if (report.runs.length === 0) return;
  addNavigation(main);
  const overview = element('div');
  main.append(overview);
  const fill = () => {
    overview.replaceChildren();
    addOverview(overview, report);
  };
  fill();
  updates.push(fill);
  addNetwork(main, report);
  addSlowdown(main, report);
  addBuffers(main, report);
  addPauses(main, report);
  addThroughput(main, report);
  addLosses(main, report);
  addConfiguration(section(main, 'runs', 'What was run', 'The same scenario, seed and version give the same digest on any machine.'), report);
  onThemeChange(() => updates.forEach((update) => update()));
}

show();
