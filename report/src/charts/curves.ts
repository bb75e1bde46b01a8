// SPDX-License-Identifier: Apache-2.0
// Distribution functions, one line per run.
import type { Curve, Report } from '../data';
import { nothing, number } from '../format';
import { runColor, type Theme } from '../theme';
import { marker, marks, stroke } from './options';

/** The share of values that are at most `x`, as text. */
export function shareAt(curve: Curve | undefined, x: number): string {
  if (!curve || curve.values.length === 0) return nothing;
  let share = 0;
  curve.values.forEach((value, i) => {
    if (value <= x) share = curve.shares[i] ?? share;
  });
  return `${number(share * 100)} %`;
}

/** The lines, rising in steps, and their markers. */
export function curveSeries(report: Report, names: string[], curves: Curve[], colors: Theme): Record<string, unknown>[] {
  return names.flatMap((name, i) => {
    const { look } = report.runs[i]!;
    const color = runColor(colors, look);
    const data = (curves[i]?.values ?? []).map((value, at) => [value, curves[i]?.shares[at] ?? 0] as const);
    return [
      { name, type: 'line', step: 'end', symbol: marker(look), symbolSize: 7, showSymbol: false, lineStyle: stroke(look, color, 2), itemStyle: { color }, data },
      ...(names.length > 1 ? [marks(name, look, color, data, 8)] : []),
    ];
  });
}
