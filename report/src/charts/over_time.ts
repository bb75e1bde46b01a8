// SPDX-License-Identifier: Apache-2.0
// Lines over time, one per run: all in one plot, or one plot per run.
import type { ChartModel } from '../chart_card';
import { markedLabel, type Report } from '../data';
import { duration, nothing } from '../format';
import { runColor, type Theme } from '../theme';
import { base, grid, isNarrow, legendHeight, marker, marks, roundEnd, stroke, timeAxis, timeZoom, tipLine, tipOfAll, tooltipAt, values, type Room } from './options';

export interface Line {
  intervalUs: number;
  values: number[];
}

export interface LinesSpec {
  title: string;
  description: string;
  /** Name of the vertical axis. */
  axis: string;
  format: (value: number) => string;
  empty: string;
  /** The line of the run with this number; null: none. */
  of: (run: number) => Line | null;
  /** One plot per run. */
  apart: boolean;
  /** The visible milliseconds; null: all. */
  span: [number, number] | null;
}

/** More lines than these hide each other in one plot. */
export const mostTogether = 6;

/** Each value is drawn in the middle of its interval; the last interval may be shorter. */
function points(line: Line, lastUs: number): [number, number][] {
  return line.values.map((value, i) => [(i * line.intervalUs + Math.min((i + 1) * line.intervalUs, Math.max(lastUs, i * line.intervalUs))) / 2000, value]);
}

/**
 * The value of the interval that contains the instant: runs differ in their intervals, so a run may have no point
 * there.
 */
export function valueAt(line: Line | null, lastUs: number, us: number): number | null {
  if (!line || line.values.length === 0 || us < 0 || us > lastUs) return null;
  return line.values[Math.min(line.values.length - 1, Math.floor(us / line.intervalUs))] ?? null;
}

const smallHeight = 96;
const smallGap = 54;

export function linesOverTime(report: Report, spec: LinesSpec, colors: Theme, room: Room): ChartModel {
  const names = report.runs.map(markedLabel);
  const lines = names.map((_, run) => spec.of(run));
  const lastMs = Math.max(...report.runs.map((run) => run.simulatedUs)) / 1000;
  const figures = (line: Line | null): string[] => {
    if (!line || line.values.length === 0) return [nothing, nothing, nothing, nothing];
    const largest = line.values.reduce((a, b) => Math.max(a, b), 0);
    const mean = line.values.reduce((a, b) => a + b, 0) / line.values.length;
    return [spec.format(mean), spec.format(largest), duration((line.values.indexOf(largest) + 0.5) * line.intervalUs), duration(line.intervalUs)];
  };
  const tell = (ms: number): HTMLElement =>
    tipOfAll(
      duration(ms * 1000),
      report.runs.map((run, i) => {
        const value = valueAt(lines[i] ?? null, run.simulatedUs, ms * 1000);
        const ended = ms * 1000 > run.simulatedUs ? `ended at ${duration(run.simulatedUs)}` : nothing;
        return tipLine(colors, run.look, names[i] ?? '', value === null ? ended : spec.format(value));
      }),
    );
  const shared = {
    title: spec.title,
    description: `${spec.description} ${spec.apart ? 'One small plot over time per run, all with the same scale.' : 'Lines over time, one per run.'}`,
    head: ['run', 'mean', 'largest', 'at', 'interval'],
    rows: names.map((name, run) => [name, ...figures(lines[run] ?? null)]),
    ...(lines.every((line) => !line || line.values.length === 0) ? { empty: spec.empty } : {}),
  };
  const tooltip = tooltipAt(colors, (value) => duration(value * 1000), tell);
  return spec.apart
    ? { ...shared, ...smallMultiples(report, spec, names, lines, lastMs, tooltip, colors, room) }
    : { ...shared, option: together(report, spec, names, lines, lastMs, tooltip, colors, room) };
}

function together(
  report: Report, spec: LinesSpec, names: string[], lines: (Line | null)[], lastMs: number, tooltip: Record<string, unknown>, colors: Theme, room: Room,
): Record<string, unknown> {
  return {
    ...base(colors, names, room),
    grid: grid(names, room, 56, 18),
    tooltip,
    xAxis: timeAxis(colors, lastMs),
    yAxis: values(colors, spec.axis, spec.format),
    dataZoom: timeZoom(colors, spec.span),
    series: names.flatMap((name, run) => {
      const { look, simulatedUs } = report.runs[run]!;
      const line = lines[run];
      const color = runColor(colors, look);
      const data = line ? points(line, simulatedUs) : [];
      const drawn = { name, type: 'line', symbol: marker(look), symbolSize: 7, showSymbol: false, lineStyle: stroke(look, color, 1.6), itemStyle: { color }, data };
      return names.length > 1 ? [drawn, marks(name, look, color, data)] : [drawn];
    }),
  };
}

/** One plot per run, all with the same axes. */
function smallMultiples(
  report: Report, spec: LinesSpec, names: string[], lines: (Line | null)[], lastMs: number, tooltip: Record<string, unknown>, colors: Theme, room: Room,
): Pick<ChartModel, 'option' | 'height'> {
  const columns = isNarrow(room) ? 1 : Math.min(names.length, Math.max(2, Math.floor(room.width / 290)));
  const rows = Math.ceil(names.length / columns);
  const top = legendHeight([], room) + 40;
  const left = 58;
  const gap = 62;
  const width = (room.width - left - 14 - (columns - 1) * gap) / columns;
  const most = Math.max(1e-12, ...lines.flatMap((line) => (line ? [line.values.reduce((a, b) => Math.max(a, b), 0)] : [])));
  const place = (i: number) => ({ x: left + (i % columns) * (width + gap), y: top + Math.floor(i / columns) * (smallHeight + smallGap) });
  const bottomRow = (i: number): boolean => i + columns >= names.length;
  const axisOf = (from: Record<string, unknown>, i: number) => ({ ...from, gridIndex: i });
  return {
    height: top + rows * (smallHeight + smallGap) + 38,
    option: {
      ...base(colors, [], room),
      title: names.map((name, i) => ({
        text: name,
        left: place(i).x - 4,
        top: place(i).y - 40,
        padding: 2,
        textStyle: { color: colors.text, fontSize: 12, fontWeight: 600, width: width + gap - 12, overflow: 'truncate' },
      })),
      grid: names.map((_, i) => ({ left: place(i).x, top: place(i).y, width, height: smallHeight })),
      tooltip,
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      xAxis: names.map((_, i) => {
        const from = timeAxis(colors, lastMs, bottomRow(i) ? 'time, ms' : '');
        return axisOf({ ...from, splitNumber: 3, axisLabel: { ...(from['axisLabel'] as object), show: bottomRow(i) } }, i);
      }),
      yAxis: names.map((_, i) => axisOf({ ...values(colors, spec.axis, spec.format), max: roundEnd(most), splitNumber: 2 }, i)),
      dataZoom: timeZoom(colors, spec.span, names.length),
      series: names.map((name, run) => {
        const { look, simulatedUs } = report.runs[run]!;
        const line = lines[run];
        const color = runColor(colors, look);
        const data = line ? points(line, simulatedUs) : [];
        return { name, type: 'line', symbol: 'none', xAxisIndex: run, yAxisIndex: run, lineStyle: { color, width: 1.4 }, areaStyle: { color, opacity: 0.13 }, itemStyle: { color }, data };
      }),
    },
  };
}
