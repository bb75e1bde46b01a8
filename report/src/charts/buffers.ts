// SPDX-License-Identifier: Apache-2.0
// Buffer occupancy of switches.
import type { ChartModel } from '../chart_card';
import { markedLabel, type Report, type Tier } from '../data';
import { bytes, count, nothing } from '../format';
import type { Theme } from '../theme';
import { base, below, byteValues, categories, filling, grid, tipLine, tipOfAll, tooltip, tooltipAt, values, type Room } from './options';
import { curveSeries, shareAt } from './curves';

export type Occupancy = 'maximum' | 'p99' | 'p95' | 'p50' | 'mean';

export const occupancies: { value: Occupancy; label: string }[] = [
  { value: 'maximum', label: 'maximum' },
  { value: 'p99', label: 'p99' },
  { value: 'p95', label: 'p95' },
  { value: 'p50', label: 'p50' },
  { value: 'mean', label: 'average' },
];

/** The tiers of switches in any run, lowest first. */
export function tiersOf(report: Report): { tier: number; name: string }[] {
  const names = new Map<number, string>();
  for (const run of report.runs) for (const tier of run.tiers) names.set(tier.tier, tier.name);
  return [...names].sort(([a], [b]) => a - b).map(([tier, name]) => ({ tier, name }));
}

function tierOf(report: Report, run: number, tier: number): Tier | undefined {
  return report.runs[run]?.tiers.find((at) => at.tier === tier);
}

export function bufferByTier(report: Report, statistic: Occupancy, colors: Theme, room: Room): ChartModel {
  const tiers = tiersOf(report);
  const names = report.runs.map(markedLabel);
  const label = occupancies.find((at) => at.value === statistic)?.label ?? statistic;
  const value = (tier: Tier | undefined): number | null =>
    !tier || (statistic !== 'maximum' && tier.samples === 0) ? null : tier[statistic];
  const cell = (tier: Tier | undefined, key: Occupancy): string =>
    !tier || (key !== 'maximum' && tier.samples === 0) ? nothing : bytes(tier[key]);
  return {
    title: `Buffer used: ${label}`,
    description: 'Bar chart: one group per switch tier, one bar per run.',
    head: ['tier and run', 'switches', 'maximum', 'fullest', 'p99', 'p95', 'p50', 'average'],
    rows: tiers.flatMap(({ tier, name }) =>
      names.map((run, i) => {
        const at = tierOf(report, i, tier);
        return [`${name}, ${run}`, count(at?.switches ?? 0), cell(at, 'maximum'), at?.fullest ?? nothing, cell(at, 'p99'), cell(at, 'p95'), cell(at, 'p50'), cell(at, 'mean')];
      }),
    ),
    option: {
      ...base(colors, names, room),
      tooltip: tooltip(colors, bytes, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
      xAxis: categories(colors, 'tier of switches', tiers.map(({ name }) => name), room),
      yAxis: byteValues(colors, 'buffer use of a switch'),
      series: names.map((name, run) => ({
        name,
        type: 'bar',
        barGap: '12%',
        barCategoryGap: '30%',
        barMaxWidth: 46,
        itemStyle: filling(colors, report.runs[run]!.look),
        data: tiers.map(({ tier }) => value(tierOf(report, run, tier))),
      })),
    },
  };
}

export function bufferCurves(report: Report, tier: number, tierName: string, colors: Theme, room: Room): ChartModel {
  const names = report.runs.map(markedLabel);
  const curves = names.map((_, run) => tierOf(report, run, tier)?.curve ?? { shares: [], values: [] });
  const shares = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];
  const quantile = (run: number, share: number): string => {
    const index = curves[run]?.shares.findIndex((point) => point >= share) ?? -1;
    return index < 0 ? nothing : bytes(curves[run]?.values[index] ?? 0);
  };
  return {
    title: `Buffer used: distribution, ${tierName}`,
    description: 'Distribution functions, one per run: fraction of the samples of all switches of the tier with at most this buffer use.',
    head: ['fraction of samples', ...names],
    rows: shares.map((share) => [`${share * 100} %`, ...names.map((_, run) => quantile(run, share))]),
    ...(curves.every((curve) => curve.values.length === 0) ? { empty: 'No run sampled its buffers ([measure] occupancy = false).' } : {}),
    option: {
      ...base(colors, names, room),
      grid: grid(names, room, 26, 24),
      tooltip: tooltipAt(colors, bytes, (x) =>
        tipOfAll(
          `at most ${bytes(x)}`,
          report.runs.map((run, i) => tipLine(colors, run.look, names[i] ?? '', shareAt(curves[i], x))),
        ),
      ),
      xAxis: { ...below(byteValues(colors, ''), 'buffer use of a switch'), splitNumber: 4 },
      yAxis: { ...values(colors, 'fraction of samples', (value) => `${Math.round(value * 100)} %`), max: 1 },
      series: curveSeries(report, names, curves, colors),
    },
  };
}
