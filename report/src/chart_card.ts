// SPDX-License-Identifier: Apache-2.0
// A chart with its caption, its choices, its data as a table and as an SVG file.
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomComponent, GridComponent, LegendComponent, TitleComponent, TooltipComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

import { download, element, fileName, scrolling, table } from './dom';
import { theme, type Theme } from './theme';
import type { Room } from './charts/options';

echarts.use([BarChart, CustomChart, LineChart, ScatterChart, GridComponent, TooltipComponent, LegendComponent, DataZoomComponent, TitleComponent, SVGRenderer]);

/** The content of a chart for the current choices. */
export interface ChartModel {
  title: string;
  /** A description of the picture for readers who cannot see it. */
  description: string;
  option: Record<string, unknown>;
  /** Pixels, if not the height that the style sheet gives all charts. */
  height?: number;
  head: string[];
  rows: string[][];
  /** Shown instead of the chart: the reason why there is nothing to draw. */
  empty?: string;
}

export interface ChartSpec {
  caption: string;
  model: (colors: Theme, room: Room) => ChartModel;
  controls?: HTMLElement[];
  /** The chart needs the whole width of the page. */
  wide?: boolean;
  /** Called with the part of the horizontal axis, in its values, into which the reader zooms; null: all of it. */
  zoomed?: (span: [number, number] | null) => void;
}

const svgWidth = 880;
const svgHeight = 460;
const svgMargin = 16;
const svgTitle = 36;

export class ChartCard {
  readonly root: HTMLElement;
  private readonly title = element('h3');
  private readonly plot = element('div', { class: 'chart', role: 'img' });
  private readonly note = element('p', { class: 'note', hidden: true });
  private readonly data = element('div', { class: 'data', hidden: true });
  private readonly dataButton = element('button', { type: 'button', 'aria-expanded': 'false' }, 'Data');
  private readonly svgButton = element('button', { type: 'button' }, 'SVG');
  private chart: echarts.ECharts | undefined;

  constructor(
    parent: HTMLElement,
    private readonly spec: ChartSpec,
  ) {
    const buttons = element('div', { class: 'buttons' }, this.dataButton, this.svgButton);
    const caption = element('figcaption', {}, this.title, buttons, element('p', {}, spec.caption));
    const controls = element('div', { class: 'controls' }, ...(spec.controls ?? []));
    this.root = element('figure', { class: spec.wide ? 'card wide' : 'card' }, caption, ...(spec.controls ? [controls] : []), this.plot, this.note, this.data);
    parent.append(this.root);
    this.dataButton.addEventListener('click', () => this.toggleData());
    this.svgButton.addEventListener('click', () => this.exportSvg());
    new ResizeObserver(() => this.resize()).observe(this.plot);
    this.update();
  }

  /** Redraws the chart after a choice or in other colours. */
  update(): void {
    const model = this.spec.model(theme(), this.room());
    this.title.textContent = model.title;
    this.plot.setAttribute('aria-label', `${model.title}. ${model.description}`);
    this.svgButton.setAttribute('aria-label', `Save "${model.title}" as SVG`);
    this.dataButton.setAttribute('aria-label', `Data of "${model.title}"`);
    this.note.textContent = model.empty ?? '';
    this.note.hidden = model.empty === undefined;
    this.plot.hidden = model.empty !== undefined;
    this.svgButton.hidden = model.empty !== undefined;
    this.dataButton.hidden = model.rows.length === 0;
    this.data.replaceChildren(scrolling(`Data of "${model.title}"`, table(model.head, model.rows, model.title)));
    if (model.empty !== undefined) return;
    const height = model.height === undefined ? '' : `${model.height}px`;
    if (this.plot.style.height !== height) {
      this.plot.style.height = height;
      this.chart?.resize();
    }
    this.chart ??= this.begin();
    this.chart.setOption({ animation: false, ...model.option }, { notMerge: true });
  }

  private begin(): echarts.ECharts {
    const chart = echarts.init(this.plot, null, { renderer: 'svg' });
    const { zoomed } = this.spec;
    if (zoomed) {
      chart.on('datazoom', () => {
        const [zoom] = (chart.getOption() as { dataZoom: { start: number; end: number; startValue: number; endValue: number }[] }).dataZoom;
        if (zoom) zoomed(zoom.start <= 0.01 && zoom.end >= 99.99 ? null : [zoom.startValue, zoom.endValue]);
      });
    }
    return chart;
  }

  private room(): Room {
    return { width: this.plot.clientWidth || svgWidth };
  }

  private resize(): void {
    if (!this.chart) return;
    const room = this.room();
    if (room.width === this.chart.getWidth()) return;
    this.chart.resize();
    // Legends and names change their line breaks.
    this.update();
  }

  private toggleData(): void {
    this.data.hidden = !this.data.hidden;
    this.dataButton.setAttribute('aria-expanded', String(!this.data.hidden));
  }

  /** The chart as a separate figure: with its title, without parts that only work on a screen. */
  private exportSvg(): void {
    const colors = theme();
    const model = this.spec.model(colors, { width: svgWidth - 2 * svgMargin });
    const figure = echarts.init(null, null, { renderer: 'svg', ssr: true, width: svgWidth, height: (model.height ?? svgHeight) + (model.height === undefined ? 0 : svgTitle) });
    const heading = { text: model.title, left: svgMargin, top: 12, textStyle: { color: colors.text, fontSize: 15, fontWeight: 600 } };
    figure.setOption({
      animation: false,
      ...model.option,
      backgroundColor: colors.background,
      title: [heading, ...lowered(model.option['title'])],
      legend: { ...(model.option['legend'] as object), type: 'plain', left: svgMargin, top: svgTitle },
      grid: Array.isArray(model.option['grid']) ? lowered(model.option['grid']) : inMargins(model.option['grid'] as Record<string, unknown>),
      dataZoom: ((model.option['dataZoom'] as object[] | undefined) ?? []).map((zoom) => ({ ...zoom, show: false })),
    });
    download(`${fileName(model.title)}.svg`, figure.renderToSVGString(), 'image/svg+xml');
    figure.dispose();
  }
}

type Placed = Record<string, unknown>;

/** Moves grids and titles of small plots below the title of the figure. */
function lowered(parts: unknown): Placed[] {
  if (!Array.isArray(parts)) return [];
  return (parts as Placed[]).map((part) => ({ ...part, left: Number(part['left']) + svgMargin, top: Number(part['top']) + svgTitle }));
}

function inMargins(grid: Placed): Placed {
  return { ...grid, left: svgMargin, right: svgMargin + 12, top: Number(grid['top']) + svgTitle, bottom: Number(grid['bottom']) + svgMargin };
}
