// SPDX-License-Identifier: Apache-2.0
// Which ports were paused, for how long, and how much of that was innocent.
import type { ChartModel } from '../chart_card';
import { markedLabel, type Report, type TierPair } from '../data';
import { count, nothing, number, percent } from '../format';
import type { Theme } from '../theme';
import { base, categories, filling, isNarrow, tooltip, values, type Room } from './options';

export interface PairName {
  pausedTier: number;
  pausingTier: number;
  name: string;
}

/** Pairs of tiers of which one paused the other in any run. */
export function pairsOf(report: Report): PairName[] {
  const pairs = new Map<string, PairName>();
  for (const run of report.runs) {
    for (const { pausedTier, pausingTier, paused, pausing, pauses } of run.tierPairs) {
      if (pauses > 0) pairs.set(`${pausedTier}/${pausingTier}`, { pausedTier, pausingTier, name: `${pausing} pauses ${paused}` });
    }
  }
  return [...pairs.values()].sort((a, b) => b.pausingTier - a.pausingTier || b.pausedTier - a.pausedTier);
}

const none = 'No run sent a pause.';

export function pausesByTier(report: Report, colors: Theme, room: Room): ChartModel {
  const names = report.runs.map(markedLabel);
  const pairs = pairsOf(report);
  const at = (run: number, pair: PairName): TierPair | undefined =>
    report.runs[run]?.tierPairs.find((other) => other.pausedTier === pair.pausedTier && other.pausingTier === pair.pausingTier);
  return {
    title: 'Time for which links were paused, per pausing and paused tier',
    description: 'Bar chart: one group per pair of tiers, one bar per run.',
    head: ['tiers and run', 'pauses', 'links', 'of them paused', 'time paused, all links', 'the most of a link'],
    rows: pairs.flatMap((pair) =>
      names.map((name, run) => {
        const found = at(run, pair);
        if (!found) return [`${pair.name}, ${name}`, nothing, nothing, nothing, nothing, nothing];
        return [`${pair.name}, ${name}`, count(found.pauses), count(found.links), count(found.linksPaused), `${percent(found.share)} %`, `${percent(found.largestShare)} %`];
      }),
    ),
    ...(pairs.length === 0 ? { empty: none } : {}),
    option: {
      ...base(colors, names, room),
      tooltip: tooltip(colors, (value) => `${number(value)} %`, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
      xAxis: categories(colors, 'pausing and paused tier', pairs.map(({ name }) => name.replace(' pauses ', isNarrow(room) ? ' ▸ ' : ' pauses ')), room),
      yAxis: values(colors, 'fraction of time', (value) => `${number(value)} %`),
      series: names.map((name, run) => ({
        name,
        type: 'bar',
        barGap: '12%',
        barMaxWidth: 46,
        itemStyle: filling(colors, report.runs[run]!.look),
        data: pairs.map((pair) => (at(run, pair)?.share ?? 0) * 100),
      })),
    },
  };
}

export function innocentPause(report: Report, colors: Theme, room: Room): ChartModel {
  const names = report.runs.map(markedLabel);
  const groups = report.groups.map((_, group) => group).filter((group) => report.runs.some((run) => run.holds[group]));
  const groupNames = groups.map((group) => report.groups[group] ?? '');
  return {
    title: 'Innocent pause, as a fraction of all pause time',
    description: 'Bar chart: one group per flow class, one bar per run.',
    ...(groups.length === 0 ? { empty: 'No run measured which packets pauses blocked ([measure] innocent_pause).' } : {}),
    head: ['flows and run', 'packets held', 'held, mean', 'held innocently, mean', 'innocent, of time held'],
    rows: groups.flatMap((group) =>
      report.runs.map((run, i) => {
        const hold = run.holds[group];
        const name = `${report.groups[group]}, ${names[i]}`;
        if (!hold) return [name, '0', nothing, nothing, nothing];
        return [name, count(hold.packets), `${number(hold.heldUs)} µs`, `${number(hold.innocentUs)} µs`, `${percent(hold.innocentShare)} %`];
      }),
    ),
    option: {
      ...base(colors, names, room),
      tooltip: tooltip(colors, (value) => `${number(value)} %`, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
      xAxis: categories(colors, 'flows', groupNames, room),
      yAxis: { ...values(colors, 'fraction of pause time', (value) => `${number(value)} %`), max: 100 },
      series: names.map((name, run) => ({
        name,
        type: 'bar',
        barGap: '12%',
        barMaxWidth: 46,
        itemStyle: filling(colors, report.runs[run]!.look),
        data: groups.map((group) => {
          const hold = report.runs[run]?.holds[group];
          return hold ? hold.innocentShare * 100 : null;
        }),
      })),
    },
  };
}
