// SPDX-License-Identifier: Apache-2.0
// What all charts share.
import { bytes, number, tick } from '../format';
import type { Theme } from '../theme';

type Formatter = (value: number) => string;

const font = { fontSize: 12 };

/** The room that a chart has. */
export interface Room {
  width: number;
}

export function isNarrow(room: Room): boolean {
  return room.width < 480;
}

const legendLine = 20;

/** The lines that a legend takes, by the usual width of letters. */
function legendLines(names: string[], room: Room): number {
  let lines = 1;
  let used = 0;
  for (const name of names) {
    const width = 14 + 5 + 6.8 * name.length + 14;
    if (used > 0 && used + width > room.width) {
      ++lines;
      used = 0;
    }
    used += width;
  }
  return lines;
}

/** Where the plot stands: below the legend. */
export function grid(series: string[], room: Room, bottom = 4, right = 14): Record<string, unknown> {
  const top = series.length > 0 ? legendLine * legendLines(series, room) + 14 : 16;
  return { left: 4, right, top, bottom, containLabel: true };
}

/** `series`: what the legend names; none, no legend. */
export function base(colors: Theme, series: string[], room: Room): Record<string, unknown> {
  return {
    // Without quotes: ECharts writes it into attributes of SVG files as it is.
    textStyle: { fontFamily: 'system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif' },
    grid: grid(series, room),
    legend: {
      show: series.length > 0,
      left: 0,
      top: 0,
      padding: [2, 0],
      itemWidth: 14,
      itemHeight: 9,
      itemGap: 14,
      textStyle: { color: colors.text, ...font },
      inactiveColor: colors.line,
      data: series,
    },
  };
}

export function tooltip(colors: Theme, value: Formatter, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    confine: true,
    backgroundColor: colors.background,
    borderColor: colors.line,
    textStyle: { color: colors.text, ...font },
    valueFormatter: (at: unknown) => (typeof at === 'number' ? value(at) : Array.isArray(at) ? value(Number(at[1])) : '–'),
    ...more,
  };
}

function axis(colors: Theme, name: string): Record<string, unknown> {
  return {
    name,
    nameTextStyle: { color: colors.faint, ...font },
    axisLine: { lineStyle: { color: colors.line } },
    axisTick: { lineStyle: { color: colors.line } },
    axisLabel: { color: colors.faint, ...font, hideOverlap: true },
    splitLine: { lineStyle: { color: colors.line, opacity: 0.6 } },
    minorSplitLine: { show: false },
  };
}

function labelled(from: Record<string, unknown>, formatter: Formatter): Record<string, unknown> {
  return { ...from, axisLabel: { ...(from['axisLabel'] as object), formatter: tick(formatter) } };
}

/** Names side by side, or slanting where they would not fit. */
export function categories(colors: Theme, names: string[], room: Room): Record<string, unknown> {
  const from = axis(colors, '');
  const longest = Math.max(0, ...names.map((name) => name.length));
  const rotate = 6.8 * longest * names.length > room.width - 60 ? 32 : 0;
  const label = { ...(from['axisLabel'] as object), interval: 0, rotate, hideOverlap: false };
  return { ...from, type: 'category', data: names, axisLabel: label, splitLine: { show: false }, axisTick: { show: false } };
}

/** From zero. What it is of stands in the chart's title. */
export function values(colors: Theme, formatter: Formatter = number): Record<string, unknown> {
  return { ...labelled(axis(colors, ''), formatter), type: 'value', min: 0 };
}

export function byteValues(colors: Theme): Record<string, unknown> {
  return values(colors, bytes);
}

/** From one. */
export function logarithmic(colors: Theme): Record<string, unknown> {
  const short: Formatter = (value) => (value >= 1000 ? `${value / 1000}k` : String(value));
  return { ...labelled(axis(colors, ''), short), type: 'log', min: 1 };
}

/** Below a plot, with a name. */
export function below(from: Record<string, unknown>, name: string): Record<string, unknown> {
  return { ...from, name, nameLocation: 'middle', nameGap: 28 };
}

/** How the line of a run is drawn: later ones are broken, so that one sees what they lie on. */
export function stroke(run: number, color: string, width: number): Record<string, unknown> {
  const dashes: (string | number[])[] = ['solid', [7, 4], [2, 3]];
  return { width, color, type: dashes[Math.min(Math.floor(run / 3), dashes.length - 1)] };
}

/** Milliseconds, to be zoomed by a slider below. */
export function timeAxis(colors: Theme, lastMs: number): Record<string, unknown> {
  const from = labelled(axis(colors, ''), (value) => `${number(value)} ms`);
  const label = { ...(from['axisLabel'] as object), showMaxLabel: false };
  return { ...from, type: 'value', min: 0, max: lastMs, axisLabel: label, splitLine: { show: false } };
}

export function timeZoom(colors: Theme): Record<string, unknown>[] {
  return [
    {
      type: 'slider',
      height: 20,
      bottom: 2,
      borderColor: colors.line,
      fillerColor: colors.dark ? '#7db4f033' : '#1f5fa822',
      handleStyle: { borderColor: colors.faint, color: colors.background },
      moveHandleSize: 0,
      showDataShadow: false,
      showDetail: false,
      brushSelect: false,
      filterMode: 'none',
    },
  ];
}
