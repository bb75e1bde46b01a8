// SPDX-License-Identifier: Apache-2.0
// Confidence intervals, drawn over bars and points.
import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemParams } from 'echarts';

import type { Estimate } from '../data';
import type { Theme } from '../theme';

type Shape = Record<string, unknown> | null;

function stem(x: number, top: number, bottom: number, half: number, color: string): Shape {
  const line = (x1: number, y1: number, x2: number, y2: number) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke: color, lineWidth: 1.3 } });
  return { type: 'group', children: [line(x, top, x, bottom), line(x - half, top, x + half, top), line(x - half, bottom, x + half, bottom)] };
}

function drawn(shift: (api: CustomSeriesRenderItemAPI) => number, half: number, color: string) {
  return (_: CustomSeriesRenderItemParams, api: CustomSeriesRenderItemAPI): Shape => {
    const [low, high] = [Number(api.value(1)), Number(api.value(2))];
    if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
    const [x = 0, top = 0] = api.coord([api.value(0), high]);
    const [, bottom = 0] = api.coord([api.value(0), low]);
    return stem(x + shift(api), top, bottom, half, color);
  };
}

function rows(estimates: (Estimate | null)[], x: (i: number) => number): number[][] {
  return estimates.flatMap((at, i) => (at && at.low !== null && at.high !== null ? [[x(i), at.low, at.high]] : []));
}

/** Over the bars of one of `runs` runs; belongs to the bars of this name. */
export function whiskers(name: string, colors: Theme, run: number, runs: number, estimates: (Estimate | null)[]): Record<string, unknown> {
  const shift = (api: CustomSeriesRenderItemAPI): number => api.barLayout({ barGap: '12%', barCategoryGap: '26%', count: runs })?.[run]?.offsetCenter ?? 0;
  return { name, type: 'custom', silent: true, z: 4, encode: { x: 0, y: [1, 2] }, renderItem: drawn(shift, 3, colors.text), data: rows(estimates, (i) => i), tooltip: { show: false } };
}

/** Over the points of a line at these horizontal positions. */
export function intervals(name: string, color: string, places: number[], estimates: (Estimate | null)[], axis: number): Record<string, unknown> {
  return {
    name,
    type: 'custom',
    silent: true,
    z: 4,
    xAxisIndex: axis,
    yAxisIndex: axis,
    encode: { x: 0, y: [1, 2] },
    renderItem: drawn(() => 0, 4, color),
    data: rows(estimates, (i) => places[i] ?? 0),
    tooltip: { show: false },
  };
}
