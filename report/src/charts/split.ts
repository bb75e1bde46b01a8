// SPDX-License-Identifier: Apache-2.0
// Why flows were slower than ideal: queueing, pause, pacing and timeout.
import type { ChartModel } from '../chart_card';
import { count, nothing, number } from '../format';
import { splitOf, splitParts, type Contender, type SplitPart } from '../goals';
import type { Theme } from '../theme';
import { base, grid, hatched, tooltip, values, type Room } from './options';

/**
 * No colours of runs, because each colour has one meaning. Queues and pauses have the same colours in the network
 * picture.
 */
function colorOf(colors: Theme, part: SplitPart): string {
  if (part === 'queueing') return colors.queue;
  if (part === 'pause') return colors.pause;
  return part === 'pacing' ? (colors.dark ? '#8fb3d9' : '#7ea3cf') : colors.dark ? '#c9b8ff' : '#43346e';
}

export function splitChart(contenders: Contender[], group: number, groupName: string, colors: Theme, room: Room): ChartModel {
  const shown = contenders.filter((at) => splitOf(at, group) !== null);
  const names = shown.map(({ name }) => name);
  const ideal = { name: 'ideal FCT', style: { color: colors.line } as Record<string, unknown>, of: (_: Contender) => 1 };
  const parts = [ideal, ...splitParts.map((part, i) => ({ name: part as string, style: hatched(colors, colorOf(colors, part), i), of: (at: Contender) => splitOf(at, group)![part] }))];
  const legend = parts.map(({ name }) => name);
  return {
    title: `Slowdown by cause: average, ${groupName}`,
    description: 'Stacked horizontal bars, one per run: ideal FCT, queueing, pause, pacing, timeout.',
    head: ['run', 'flows', 'slowdown', ...legend],
    rows: contenders.map((at) => {
      const split = splitOf(at, group);
      return split ? [at.name, count(split.flows), number(split.slowdown), '1', ...splitParts.map((part) => number(split[part]))] : [at.name, ...new Array<string>(7).fill(nothing)];
    }),
    ...(shown.length === 0 ? { empty: `No run measured it for a completed ${groupName} flow.` } : {}),
    height: 116 + 34 * Math.max(1, shown.length),
    option: {
      ...base(colors, legend, room),
      grid: grid(legend, room, 26, 20),
      tooltip: tooltip(colors, number, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
      xAxis: { ...values(colors, '', number), name: 'slowdown', nameLocation: 'middle', nameGap: 24 },
      yAxis: { type: 'category', inverse: true, data: names, name: 'run', nameLocation: 'start', nameTextStyle: { color: colors.faint, fontSize: 12 }, axisLabel: { color: colors.text, fontSize: 12, width: 150, overflow: 'truncate' }, axisLine: { lineStyle: { color: colors.line } }, axisTick: { show: false } },
      series: parts.map(({ name, style, of }) => ({
        name,
        type: 'bar',
        stack: 'slowdown',
        barMaxWidth: 22,
        itemStyle: style,
        data: shown.map(of),
      })),
    },
  };
}
