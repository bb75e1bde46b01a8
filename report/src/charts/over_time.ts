// SPDX-License-Identifier: Apache-2.0
// Lines over time, a run a line.
import type { ChartModel } from '../chart_card';
import { markedLabel, type Report } from '../data';
import { duration, nothing } from '../format';
import { runColor, type Theme } from '../theme';
import { base, grid, stroke, timeAxis, timeZoom, tooltip, values, type Room } from './options';

export interface Line {
  intervalUs: number;
  values: number[];
}

export interface LinesSpec {
  title: string;
  description: string;
  format: (value: number) => string;
  empty: string;
  /** Of the run with this number; null: it has none. */
  of: (run: number) => Line | null;
}

/** Each value stands in the middle of its interval, of which the last may be shorter. */
function points(line: Line, lastUs: number): [number, number][] {
  return line.values.map((value, i) => [(i * line.intervalUs + Math.min((i + 1) * line.intervalUs, Math.max(lastUs, i * line.intervalUs))) / 2000, value]);
}

export function linesOverTime(report: Report, spec: LinesSpec, colors: Theme, room: Room): ChartModel {
  const names = report.runs.map(markedLabel);
  const lines = names.map((_, run) => spec.of(run));
  const lastMs = Math.max(...report.runs.map((run) => run.simulatedUs)) / 1000;
  const figures = (line: Line | null): string[] => {
    if (!line || line.values.length === 0) return [nothing, nothing, nothing];
    const largest = line.values.reduce((a, b) => Math.max(a, b), 0);
    const mean = line.values.reduce((a, b) => a + b, 0) / line.values.length;
    return [spec.format(mean), spec.format(largest), duration((line.values.indexOf(largest) + 0.5) * line.intervalUs)];
  };
  return {
    title: spec.title,
    description: `${spec.description} Lines over time, one for each run.`,
    head: ['run', 'mean', 'largest', 'at'],
    rows: names.map((name, run) => [name, ...figures(lines[run] ?? null)]),
    ...(lines.every((line) => !line || line.values.length === 0) ? { empty: spec.empty } : {}),
    option: {
      ...base(colors, names, room),
      grid: grid(names, room, 30, 18),
      tooltip: tooltip(colors, spec.format, {
        trigger: 'axis',
        axisPointer: { type: 'line', label: { formatter: ({ value }: { value: number }) => duration(value * 1000) } },
      }),
      xAxis: timeAxis(colors, lastMs),
      yAxis: values(colors, spec.format),
      dataZoom: timeZoom(colors),
      series: names.map((name, run) => {
        const line = lines[run];
        return {
          name,
          type: 'line',
          symbol: 'none',
          lineStyle: stroke(run, runColor(colors, run), 1.6),
          itemStyle: { color: runColor(colors, run) },
          data: line ? points(line, report.runs[run]?.simulatedUs ?? 0) : [],
        };
      }),
    },
  };
}
