// SPDX-License-Identifier: Apache-2.0
// Slowdown: completion time relative to a network without other traffic.
import type { ChartModel } from '../chart_card';
import { Group, labelsWithFlows, markedLabel, type Distribution, type Estimate, type Report } from '../data';
import { count, nothing, number } from '../format';
import type { Theme } from '../theme';
import { base, below, categories, filling, grid, logarithmic, tipLine, tipOfAll, tooltip, tooltipAt, values, type Room } from './options';
import { curveSeries, shareAt } from './curves';
import { whiskers } from './whiskers';

export type Statistic = 'mean' | 'p50' | 'p95' | 'p99' | 'max';

export const statistics: { value: Statistic; label: string }[] = [
  { value: 'mean', label: 'average' },
  { value: 'p50', label: 'p50' },
  { value: 'p95', label: 'p95' },
  { value: 'p99', label: 'p99' },
  { value: 'max', label: 'maximum' },
];

function nameOf(statistic: Statistic): string {
  return statistics.find((at) => at.value === statistic)?.label ?? statistic;
}

interface Bars {
  title: string;
  description: string;
  /** The groups of bars, and the head of their column. */
  names: string[];
  head: string;
  empty: string;
  of: (run: number, bar: number) => Distribution | null;
  /** Over seeds, if there are several. */
  estimate?: (run: number, bar: number) => Estimate | null;
}

/** One group of bars per name, one bar per run. */
function slowdownBars(report: Report, bars: Bars, statistic: Statistic, colors: Theme, room: Room): ChartModel {
  const runs = report.runs.map(markedLabel);
  const rows = bars.names.flatMap((name, bar) =>
    runs.map((label, run) => {
      const slowdown = bars.of(run, bar);
      const figures = (['mean', 'p50', 'p95', 'p99', 'max'] as const).map((key) => (slowdown ? number(slowdown[key]) : nothing));
      return [`${name}, ${label}`, count(slowdown?.count ?? 0), ...figures];
    }),
  );
  return {
    title: bars.title,
    description: bars.description,
    head: [`${bars.head} and run`, 'flows', 'average', 'p50', 'p95', 'p99', 'maximum'],
    rows,
    ...(bars.names.length === 0 ? { empty: bars.empty } : {}),
    option: {
      ...base(colors, runs, room),
      tooltip: tooltip(colors, number, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
      xAxis: categories(colors, bars.head === 'size' ? 'flow size' : bars.head, bars.names, room),
      yAxis: logarithmic(colors, 'slowdown'),
      series: [
        ...runs.map((name, run) => ({
          name,
          type: 'bar',
          barGap: '12%',
          barCategoryGap: '26%',
          barMinHeight: 1,
          itemStyle: filling(colors, report.runs[run]!.look),
          data: bars.names.map((_, bar) => bars.estimate?.(run, bar)?.mean ?? bars.of(run, bar)?.[statistic] ?? null),
        })),
        ...runs.map((name, run) => whiskers(name, colors, run, runs.length, bars.names.map((_, bar) => bars.estimate?.(run, bar) ?? null))),
      ],
    },
  };
}

/** Bars: one group per size bin, one bar per run. */
export function slowdownBySize(report: Report, group: number, statistic: Statistic, colors: Theme, room: Room): ChartModel {
  const used = report.sizeBins.map((_, bin) => bin).filter((bin) => report.runs.some((run) => run.sizes[bin]?.[group]?.slowdown));
  const groupName = report.groups[group] ?? '';
  const bars: Bars = {
    title: `Slowdown by flow size: ${nameOf(statistic)}, ${groupName}`,
    description: 'Bar chart: one group per flow size, one bar per run; the vertical axis is logarithmic.',
    names: used.map((bin) => report.sizeBins[bin] ?? ''),
    head: 'size',
    empty: `No ${groupName} flow completed.`,
    of: (run, bar) => report.runs[run]?.sizes[used[bar] ?? -1]?.[group]?.slowdown ?? null,
    estimate: (run, bar) => sizeEstimate(report, run, used[bar] ?? -1, group, statistic),
  };
  return slowdownBars(report, bars, statistic, colors, room);
}

/** Over the seeds of the replicate that a run represents; null: one seed, or not estimated. */
function sizeEstimate(report: Report, run: number, bin: number, group: number, statistic: Statistic): Estimate | null {
  if (group !== Group.notIncast || (statistic !== 'mean' && statistic !== 'p99')) return null;
  return report.replicates[report.runs[run]?.replicate ?? -1]?.sizes[bin]?.[statistic] ?? null;
}

/** Bars: one group per traffic label, one bar per run. */
export function slowdownByLabel(report: Report, statistic: Statistic, colors: Theme, room: Room): ChartModel {
  const at = (run: number, name: string) => report.runs[run]?.labels.find((label) => label.name === name)?.flows.slowdown ?? null;
  const used = labelsWithFlows(report).filter((name) => report.runs.some((_, run) => at(run, name)));
  const bars: Bars = {
    title: `Slowdown by label: ${nameOf(statistic)}, all sizes`,
    description: 'Bar chart: one group per traffic label, one bar per run; the vertical axis is logarithmic.',
    names: used,
    head: 'label',
    empty: 'No flow completed.',
    of: (run, bar) => at(run, used[bar] ?? ''),
  };
  return slowdownBars(report, bars, statistic, colors, room);
}

/** Lines: the share of flows whose slowdown is at most the given value. */
export function slowdownCurves(report: Report, group: number, colors: Theme, room: Room): ChartModel {
  const names = report.runs.map(markedLabel);
  const groupName = report.groups[group] ?? '';
  const curves = report.runs.map((run) => run.curves[group] ?? { shares: [], values: [] });
  const shares = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];
  const quantile = (run: number, share: number): string => {
    const curve = curves[run];
    const index = curve?.shares.findIndex((point) => point >= share) ?? -1;
    return index < 0 ? nothing : number(curve?.values[index]);
  };
  return {
    title: `Slowdown, all sizes: distribution, ${groupName}`,
    description: 'Distribution functions, one per run: fraction of flows with at most this slowdown.',
    head: ['fraction of flows', ...names],
    rows: shares.map((share) => [`${share * 100} %`, ...names.map((_, run) => quantile(run, share))]),
    ...(curves.every((curve) => curve.values.length === 0) ? { empty: `No ${groupName} flow completed.` } : {}),
    option: {
      ...base(colors, names, room),
      grid: grid(names, room, 26, 18),
      tooltip: tooltipAt(colors, number, (x) =>
        tipOfAll(
          `at most ${number(x)}`,
          report.runs.map((run, i) => tipLine(colors, run.look, names[i] ?? '', shareAt(curves[i], x))),
        ),
      ),
      xAxis: below(logarithmic(colors, ''), 'slowdown'),
      yAxis: { ...values(colors, 'fraction of flows', (value) => `${Math.round(value * 100)} %`), max: 1 },
      series: curveSeries(report, names, curves, colors),
    },
  };
}
