// SPDX-License-Identifier: Apache-2.0
// Losses and retransmissions.
import type { ChartModel } from '../chart_card';
import { markedLabel, type Report } from '../data';
import { count, number, percent } from '../format';
import type { Theme } from '../theme';
import { base, categories, filling, hatched, tooltip, values, type Room } from './options';

/** For drop reasons; no run uses one of these colours. */
const reasonColors = ['#7c8798', '#4b5563', '#a3a9b4', '#9f6b53', '#c59b80', '#5b7a8c', '#b8c4cc', '#d5d0c4'];

export function drops(report: Report, colors: Theme, room: Room): ChartModel {
  const names = report.runs.map(markedLabel);
  const reasons = report.dropReasons.map((_, reason) => reason).filter((reason) => report.dropReasons[reason] !== 'on purpose' && report.runs.some((run) => (run.drops[reason] ?? 0) > 0));
  const reasonNames = reasons.map((reason) => report.dropReasons[reason] ?? '');
  return {
    title: 'Frames dropped by switches, by reason',
    description: 'Stacked bars, one per run.',
    head: ['run', 'all', ...reasonNames],
    rows: report.runs.map((run, i) => [names[i] ?? '', count(run.dropped), ...reasons.map((reason) => count(run.drops[reason] ?? 0))]),
    ...(reasons.length === 0 ? { empty: 'No switch dropped a frame in any run.' } : {}),
    option: {
      ...base(colors, reasonNames, room),
      tooltip: tooltip(colors, count, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
      xAxis: categories(colors, 'run', names, room),
      yAxis: values(colors, 'frames', count),
      series: reasons.map((reason, i) => ({
        name: reasonNames[i],
        type: 'bar',
        stack: 'drops',
        barMaxWidth: 46,
        itemStyle: hatched(colors, reasonColors[reason % reasonColors.length] ?? colors.faint, i),
        data: report.runs.map((run) => run.drops[reason] ?? 0),
      })),
    },
  };
}

export function retransmissions(report: Report, colors: Theme, room: Room): ChartModel {
  const names = report.runs.map(markedLabel);
  const any = report.runs.some((run) => run.retransmittedFrames > 0);
  return {
    title: 'Retransmitted fraction of data frames',
    description: 'Bar chart: one bar per run.',
    head: ['run', 'data frames', 'retransmitted', 'of all', 'out of order'],
    rows: report.runs.map((run, i) => [names[i] ?? '', count(run.dataFrames), count(run.retransmittedFrames), `${percent(run.retransmittedShare)} %`, count(run.outOfOrderFrames)]),
    ...(any ? {} : { empty: 'No run retransmitted a frame.' }),
    option: {
      ...base(colors, [], room),
      tooltip: tooltip(colors, (value) => `${number(value)} %`, { trigger: 'axis', axisPointer: { type: 'shadow' } }),
      xAxis: categories(colors, 'run', names, room),
      yAxis: values(colors, 'fraction of data frames', (value) => `${number(value)} %`),
      series: [
        {
          type: 'bar',
          name: 'retransmitted',
          barMaxWidth: 46,
          data: report.runs.map((run) => ({ value: run.retransmittedShare * 100, itemStyle: filling(colors, run.look) })),
        },
      ],
    },
  };
}
