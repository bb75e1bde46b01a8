// SPDX-License-Identifier: Apache-2.0
// Figures over seeds and along a sweep: means with 95 % confidence intervals, one line per variant, small plots.
import type { ChartModel } from '../chart_card';
import { variantName, variantsOf, type Estimate, type Look, type Parameter, type Quantity, type Replicate, type Report } from '../data';
import { count, nothing, number } from '../format';
import { runColor, type Theme } from '../theme';
import { base, isNarrow, legendHeight, marker, roundEnd, stroke, tipLine, tipOfAll, tooltipAt, values, type Room } from './options';
import { intervals } from './whiskers';

/** "4.10 ± 0.20", with the number of seeds if some are missing. */
export function estimateText(estimate: Estimate | null | undefined): string {
  if (!estimate) return nothing;
  if (estimate.low === null || estimate.high === null) return number(estimate.mean);
  return `${number(estimate.mean)} ± ${number((estimate.high - estimate.low) / 2)}`;
}

/** One plot: a figure at fixed values of the other parameters. */
interface Plot {
  title: string;
  quantity: number;
  /** For each variant, at each value of the parameter along the plot. */
  lines: { name: string; look: Look; at: (Estimate | null)[] }[];
}

function lookOf(color: number): Look {
  return { color, pattern: color };
}

/** The replicates with these values of all parameters except `along`. */
function plotOf(report: Report, shown: Replicate[], quantity: number, along: number, others: number[], title: string): Plot {
  const variants = variantsOf(report);
  const used = variants.filter((name) => shown.some((at) => variantName(report, at) === name));
  const steps = along < 0 ? [0] : report.parameters[along]!.values.map((_, i) => i);
  const lines = used.map((name) => ({
    name,
    look: lookOf(variants.indexOf(name)),
    at: steps.map((step) => {
      const found = shown.find((at) => variantName(report, at) === name && at.point.every((value, i) => (i === along ? value === step : value === (others[i] ?? value))));
      return found?.estimates[quantity] ?? null;
    }),
  }));
  return { title, quantity, lines };
}

/** All combinations of the values of the parameters other than `along`: one plot each. */
function combinations(report: Report, along: number): { others: number[]; title: string }[] {
  let all: { others: number[]; title: string }[] = [{ others: [], title: '' }];
  report.parameters.forEach(({ name, values: of }, i) => {
    all = all.flatMap(({ others, title }) => {
      if (i === along) return [{ others: [...others, -1], title }];
      return of.map(({ label }, value) => ({ others: [...others, value], title: `${title}${title === '' ? '' : ', '}${name} ${label}` }));
    });
  });
  return all;
}

const plotHeight = 168;
const rowGap = 84;

interface Along {
  name: string;
  labels: string[];
  /** Null: texts side by side. */
  numbers: number[] | null;
}

function alongOf(report: Report, along: number): Along {
  const parameter: Parameter | undefined = report.parameters[along];
  if (!parameter) return { name: '', labels: [''], numbers: null };
  const numbers = parameter.values.map((at) => at.number);
  return { name: parameter.name, labels: parameter.values.map(({ label }) => label), numbers: numbers.every((at): at is number => at !== null) ? numbers : null };
}

function smallPlots(report: Report, plots: Plot[], along: Along, sameScale: boolean, colors: Theme, room: Room): Pick<ChartModel, 'option' | 'height'> {
  const names = plots[0]?.lines.map(({ name }) => name) ?? [];
  const columns = isNarrow(room) ? 1 : Math.min(plots.length, Math.max(1, Math.floor(room.width / 300)));
  const [left, gap] = [58, 66];
  const top = legendHeight(names, room) + 44;
  const width = (room.width - left - 20 - (columns - 1) * gap) / columns;
  const place = (i: number) => ({ x: left + (i % columns) * (width + gap), y: top + Math.floor(i / columns) * (plotHeight + rowGap) });
  const highest = (plot: Plot): number => Math.max(0, ...plot.lines.flatMap(({ at }) => at.map((estimate) => estimate?.high ?? estimate?.mean ?? 0)));
  const most = Math.max(...plots.map(highest));
  const xs = along.numbers ?? along.labels.map((_, i) => i);
  const nearest = (x: number): number => xs.reduce((best, value, i) => (Math.abs(value - x) < Math.abs((xs[best] ?? 0) - x) ? i : best), 0);
  const styleOfNames = { color: colors.faint, fontSize: 12 };
  return {
    height: top + Math.ceil(plots.length / columns) * (plotHeight + rowGap),
    option: {
      ...base(colors, names, room),
      title: plots.map(({ title }, i) => ({ text: title, left: place(i).x - 4, top: place(i).y - 42, padding: 2, textStyle: { color: colors.text, fontSize: 12, fontWeight: 600, width: width + gap - 14, overflow: 'truncate' } })),
      grid: plots.map((_, i) => ({ left: place(i).x, top: place(i).y, width, height: plotHeight })),
      tooltip: {
        ...tooltipAt(colors, number, (x) => {
          const step = nearest(x);
          const plotLines = plots.flatMap(({ title, lines }) => [
            ...(plots.length > 1 ? [Object.assign(document.createElement('div'), { className: 'tip-head', textContent: title })] : []),
            ...lines.map(({ name, look, at }) => tipLine(colors, look, name, estimateText(at[step]))),
          ]);
          return tipOfAll(along.name === '' ? 'mean and 95 % interval' : `${along.name} ${along.labels[step] ?? ''}`, plotLines);
        }),
      },
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      xAxis: plots.map((_, i) => {
        const shared = { gridIndex: i, name: along.name, nameLocation: 'middle', nameGap: 24, nameTextStyle: styleOfNames, axisLine: { lineStyle: { color: colors.line } }, splitLine: { show: false } };
        const label = { color: colors.faint, fontSize: 12, hideOverlap: true };
        if (!along.numbers) return { ...shared, type: 'category', data: along.labels, axisLabel: label };
        // The axis covers only the values that were run, and does not start from zero.
        const [low, high] = [Math.min(...xs), Math.max(...xs)];
        const slack = (high - low || 1) * 0.06;
        const text = (x: number): string => along.labels[xs.findIndex((value) => Math.abs(value - x) < 1e-9 * Math.max(1, Math.abs(x)))] ?? number(x);
        return { ...shared, type: 'value', min: low - slack, max: high + slack, axisLabel: { ...label, customValues: xs, formatter: text }, axisTick: { customValues: xs } };
      }),
      yAxis: plots.map(({ quantity }, i) => {
        const of: Quantity | undefined = report.quantities[quantity];
        return { ...values(colors, axisName(of), number), gridIndex: i, splitNumber: 3, ...(sameScale && most > 0 ? { max: roundEnd(most) } : {}) };
      }),
      series: plots.flatMap(({ lines }, i) =>
        lines.flatMap(({ name, look, at }) => {
          const color = runColor(colors, look);
          const data = at.map((estimate, step) => [xs[step] ?? 0, estimate?.mean ?? null]);
          return [
            { name, type: 'line', xAxisIndex: i, yAxisIndex: i, symbol: marker(look), symbolSize: 8, lineStyle: stroke(look, color, 1.6), itemStyle: { color }, connectNulls: false, data },
            intervals(name, color, xs, at, i),
          ];
        }),
      ),
    },
  };
}

function axisName(quantity: Quantity | undefined): string {
  if (!quantity) return '';
  const unit = quantity.unit === '' ? '' : `, ${quantity.unit}`;
  return quantity.group.endsWith('slowdown') ? 'slowdown' : `${quantity.name}${unit}`;
}

function rowsOf(report: Report, shown: Replicate[], quantities: number[]): Pick<ChartModel, 'head' | 'rows'> {
  return {
    head: ['variant', ...report.parameters.map(({ name }) => name), 'seeds', ...quantities.map((i) => report.quantities[i]?.title ?? '')],
    rows: shown.map((at) => [
      variantName(report, at),
      ...report.parameters.map(({ values: of }, i) => of[at.point[i] ?? -1]?.label ?? nothing),
      count(at.seeds.length),
      ...quantities.map((i) => estimateText(at.estimates[i])),
    ]),
  };
}

/** One figure along a parameter: a plot for each combination of the others. */
export function alongSweep(report: Report, shown: Replicate[], quantity: number, along: number, colors: Theme, room: Room): ChartModel {
  const plots = combinations(report, along).map(({ others, title }) => plotOf(report, shown, quantity, along, others, title || (report.quantities[quantity]?.title ?? '')));
  const title = report.quantities[quantity]?.title ?? '';
  return {
    title: `${title} by ${report.parameters[along]?.name ?? ''}`,
    description: 'One line per variant, with 95 % confidence intervals; one small plot per value of the other parameters.',
    ...rowsOf(report, shown, [quantity]),
    ...smallPlots(report, plots, alongOf(report, along), true, colors, room),
  };
}

/** The figures side by side, one small plot each, with the first value of each other parameter. */
export function allFigures(report: Report, shown: Replicate[], along: number, others: number[], colors: Theme, room: Room): ChartModel {
  const every = report.quantities.map((_, i) => i).filter((i) => shown.some((at) => at.estimates[i]));
  const plots = every.map((i) => plotOf(report, shown, i, along, others, report.quantities[i]?.title ?? ''));
  const name = report.parameters[along]?.name;
  return {
    title: name === undefined ? 'All quantities over seeds' : `All quantities by ${name}`,
    description: 'One small plot per quantity: one line per variant, with 95 % confidence intervals.',
    ...rowsOf(report, shown, every),
    ...(plots.length === 0 ? { empty: 'There are no estimates.' } : {}),
    ...(name === undefined ? dots(report, plots, colors, room) : smallPlots(report, plots, alongOf(report, along), false, colors, room)),
  };
}

/** Without a sweep: one position per variant. */
function dots(report: Report, plots: Plot[], colors: Theme, room: Room): Pick<ChartModel, 'option' | 'height'> {
  const names = plots[0]?.lines.map(({ name }) => name) ?? [];
  const spread = plots.map((plot) => ({
    ...plot,
    lines: plot.lines.map((line, i) => ({ ...line, at: names.map((_, place) => (place === i ? (line.at[0] ?? null) : null)) })),
  }));
  return smallPlots(report, spread, { name: 'variant', labels: names, numbers: null }, false, colors, room);
}
