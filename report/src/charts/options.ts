// SPDX-License-Identifier: Apache-2.0
// Common parts of all charts.
import { bytes, number, tick } from '../format';
import type { Look } from '../data';
import { element } from '../dom';
import { runColor, type Theme } from '../theme';

type Formatter = (value: number) => string;

const font = { fontSize: 12 };

/** The space available to a chart. */
export interface Room {
  width: number;
}

export function isNarrow(room: Room): boolean {
  return room.width < 480;
}

const legendLine = 20;

/** The number of lines of a legend, estimated from the average width of letters. */
function legendLines(names: string[], room: Room): number {
  let lines = 1;
  let used = 0;
  for (const name of names) {
    const width = 26 + 5 + 6.8 * name.length + 14;
    if (used > 0 && used + width > room.width) {
      ++lines;
      used = 0;
    }
    used += width;
  }
  return lines;
}

/** The name of the vertical axis is above it. */
const axisNameLine = 20;

/** A legend with more lines is paged. */
const mostLegendLines = 4;

function isLong(series: string[], room: Room): boolean {
  return legendLines(series, room) > mostLegendLines;
}

/** Height above the plot and the name of its vertical axis. */
export function legendHeight(series: string[], room: Room): number {
  if (series.length === 0) return 2;
  return isLong(series, room) ? legendLine + 10 : legendLine * legendLines(series, room) + 8;
}

/** The position of the plot: below the legend. */
export function grid(series: string[], room: Room, bottom = 26, right = 14): Record<string, unknown> {
  const top = legendHeight(series, room) + axisNameLine;
  return { left: 4, right, top, bottom, containLabel: true };
}

/** `series`: the entries of the legend; empty: no legend. */
export function base(colors: Theme, series: string[], room: Room): Record<string, unknown> {
  return {
    // Without quotes, because ECharts writes it unescaped into attributes of SVG files.
    textStyle: { fontFamily: 'system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif' },
    grid: grid(series, room),
    legend: {
      show: series.length > 0,
      type: isLong(series, room) ? 'scroll' : 'plain',
      pageIconColor: colors.faint,
      pageIconInactiveColor: colors.line,
      pageTextStyle: { color: colors.faint, ...font },
      left: 0,
      top: 0,
      padding: [2, 0],
      // Wide enough for a dash pattern.
      itemWidth: 26,
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

function axis(colors: Theme): Record<string, unknown> {
  return {
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

/** Names side by side, or slanted if they would not fit. `name`: what they denote. */
export function categories(colors: Theme, name: string, names: string[], room: Room): Record<string, unknown> {
  const from = axis(colors);
  const longest = Math.max(0, ...names.map((at) => at.length));
  const rotate = 6.8 * longest * names.length > room.width - 60 ? 32 : 0;
  const label = { ...(from['axisLabel'] as object), interval: 0, rotate, hideOverlap: false };
  const gap = rotate > 0 ? 18 + 3.7 * longest : 26;
  return below({ ...from, type: 'category', data: names, axisLabel: label, splitLine: { show: false }, axisTick: { show: false } }, name, gap);
}

/** A name above a vertical axis, starting at the left edge of the plot. */
function above(from: Record<string, unknown>, name: string): Record<string, unknown> {
  const style = { ...(from['nameTextStyle'] as object), align: 'left' };
  return { ...from, name, nameLocation: 'end', nameGap: 8, nameTextStyle: style };
}

/** From zero. `name`: the quantity, with the unit if its numbers have none. */
export function values(colors: Theme, name: string, formatter: Formatter = number): Record<string, unknown> {
  return { ...above(labelled(axis(colors), formatter), name), type: 'value', min: 0 };
}

export function byteValues(colors: Theme, name: string): Record<string, unknown> {
  return values(colors, name, bytes);
}

/** From one. */
export function logarithmic(colors: Theme, name: string): Record<string, unknown> {
  const short: Formatter = (value) => (value >= 1000 ? `${value / 1000}k` : String(value));
  return { ...above(labelled(axis(colors), short), name), type: 'log', min: 1 };
}

/** Below a plot, with a name. */
export function below(from: Record<string, unknown>, name: string, gap = 26): Record<string, unknown> {
  const { align, ...style } = from['nameTextStyle'] as { align?: string };
  return { ...from, name, nameLocation: 'middle', nameGap: gap, nameTextStyle: style };
}

/** A round number for the end of an axis that reaches `most`. */
export function roundEnd(most: number): number {
  if (!(most > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(most));
  const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
  return unit * (steps.find((step) => step * unit >= most * (1 - 1e-9)) ?? 10);
}

const dashes: (string | number[])[] = ['solid', [9, 5], [2, 3], [10, 3, 2, 3], [16, 4], [5, 2, 5, 6]];
const markers = ['circle', 'triangle', 'rect', 'diamond', 'emptyCircle', 'emptyTriangle', 'emptyRect', 'emptyDiamond'];

/**
 * The line style of a run. Later lines are drawn over earlier ones and are dashed, so that the earlier ones show
 * through the gaps. Only the first line is solid, and it is the widest.
 */
export function stroke(look: Look, color: string, width: number): Record<string, unknown> {
  return { width: width + Math.max(0, 1.2 - 0.4 * look.pattern), color, type: dashes[look.pattern % dashes.length], cap: 'butt' };
}

export function marker(look: Look): string {
  return markers[look.pattern % markers.length] ?? 'circle';
}

/** Bars are hatched, except those of the first run. */
export function filling(colors: Theme, look: Look): Record<string, unknown> {
  return hatched(colors, runColor(colors, look), look.pattern);
}

export function hatched(colors: Theme, color: string, pattern: number): Record<string, unknown> {
  const over = { color: colors.dark ? 'rgba(0,0,0,0.34)' : 'rgba(255,255,255,0.42)' };
  const hatchings: (Record<string, unknown> | undefined)[] = [
    undefined,
    { ...over, symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4 },
    { ...over, symbol: 'circle', symbolSize: 0.7, dashArrayX: [[7, 7], [0, 7, 7, 0]], dashArrayY: [6, 0] },
    { ...over, symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: Math.PI / 4 },
    { ...over, symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [3, 3], rotation: 0 },
    { ...over, symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [3, 3], rotation: Math.PI / 2 },
    { ...over, symbol: 'triangle', symbolSize: 0.8, dashArrayX: [9, 9], dashArrayY: [9, 4] },
  ];
  const decal = hatchings[pattern % hatchings.length];
  return decal ? { color, decal } : { color };
}

/**
 * Markers at some points of a line, at other points for each run, so that overlapping lines can be distinguished. They
 * belong to the line of this name, with which the legend hides them.
 */
export function marks(name: string, look: Look, color: string, data: (readonly [number, number])[], most = 12): Record<string, unknown> {
  const step = Math.max(1, Math.floor(data.length / most));
  // By the golden section, so that any number of phases are apart.
  const phase = Math.floor(((look.pattern * 0.381966 + 0.25) % 1) * step);
  return {
    name,
    type: 'scatter',
    symbol: marker(look),
    symbolSize: 7,
    silent: true,
    itemStyle: { color },
    z: 3,
    data: data.filter((_, i) => i % step === phase),
    tooltip: { show: false },
  };
}

/**
 * The content of a tooltip at the horizontal position `x`: one line per run, whether or not its own line has a point
 * there.
 */
export function tipOfAll(heading: string, lines: HTMLElement[]): HTMLElement {
  const many = lines.length > 12;
  return element('div', { class: many ? 'tip-lines many' : 'tip-lines' }, element('div', { class: 'tip-head' }, heading), element('div', {}, ...lines));
}

/** A tooltip whose content `tell` returns for the position under the pointer. */
export function tooltipAt(colors: Theme, pointer: (x: number) => string, tell: (x: number) => HTMLElement): Record<string, unknown> {
  return tooltip(colors, number, {
    trigger: 'axis',
    formatter: (at: unknown) => {
      const first = (Array.isArray(at) ? at[0] : at) as { axisValue?: number | string } | undefined;
      return tell(Number(first?.axisValue ?? 0));
    },
    axisPointer: { type: 'line', snap: false, lineStyle: { color: colors.faint }, label: { formatter: ({ value }: { value: number }) => pointer(value) } },
  });
}

/** A line of a tooltip: colour and marker of a run, its name, its value. */
export function tipLine(colors: Theme, look: Look, name: string, text: string): HTMLElement {
  return element('div', { class: 'tip-line' }, swatch(colors, look), element('span', {}, name), element('b', {}, text));
}

const swatchSpace = 'http://www.w3.org/2000/svg';

function shape(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(swatchSpace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** A small picture of a run's line, with its dashes and its marker. */
export function swatch(colors: Theme, look: Look): SVGElement {
  const color = runColor(colors, look);
  const made = shape('svg', { class: 'swatch', viewBox: '0 0 30 12', width: 30, height: 12, 'aria-hidden': 'true' });
  const dash = dashes[look.pattern % dashes.length];
  made.append(shape('line', { x1: 0, y1: 6, x2: 30, y2: 6, stroke: color, 'stroke-width': 2.6, ...(Array.isArray(dash) ? { 'stroke-dasharray': dash.join(' ') } : {}) }));
  const name = marker(look);
  const empty = name.startsWith('empty');
  const paint = { fill: empty ? colors.background : color, stroke: color, 'stroke-width': 1.5 };
  const kind = name.replace('empty', '').toLowerCase();
  if (kind === 'circle') made.append(shape('circle', { cx: 15, cy: 6, r: 3.6, ...paint }));
  else if (kind === 'rect') made.append(shape('rect', { x: 11.6, y: 2.6, width: 6.8, height: 6.8, ...paint }));
  else made.append(shape('polygon', { points: kind === 'triangle' ? '15,1.6 19.4,9.8 10.6,9.8' : '15,1.4 19.6,6 15,10.6 10.4,6', ...paint }));
  return made;
}

/** In milliseconds, with a slider below for zooming. */
export function timeAxis(colors: Theme, lastMs: number, name = 'time, ms'): Record<string, unknown> {
  const from = labelled(axis(colors), number);
  const label = { ...(from['axisLabel'] as object), showMaxLabel: false };
  return { ...below(from, name, 22), type: 'value', min: 0, max: lastMs, axisLabel: label, splitLine: { show: false } };
}

/** `span`: the visible part in milliseconds; null: all. `axes`: their number. */
export function timeZoom(colors: Theme, span: [number, number] | null, axes = 1): Record<string, unknown>[] {
  const seen = span === null ? { start: 0, end: 100 } : { startValue: span[0], endValue: span[1] };
  const xAxisIndex = Array.from({ length: axes }, (_, i) => i);
  return [
    {
      ...seen,
      xAxisIndex,
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
