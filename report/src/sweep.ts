// SPDX-License-Identifier: Apache-2.0
// Seeds and sweeps: every point in a table, and figures along a parameter.
import type { ChartCard, ChartSpec } from './chart_card';
import { allFigures, alongSweep, estimateText } from './charts/estimates';
import { swatch } from './charts/options';
import { variantName, variantsOf, type Replicate, type Report } from './data';
import { chooser, element, scrolling } from './dom';
import { count, nothing, plural } from './format';
import { theme } from './theme';

/** The replicates of the variants and parameter values that the reader chose. */
function shownOf(report: Report, view: Report): Replicate[] {
  return report.replicates.filter((_, i) => view.shown?.[i] ?? true);
}

function pointsTable(report: Report, shown: Replicate[]): HTMLTableElement {
  const variants = variantsOf(report);
  const heads = ['variant', ...report.parameters.map(({ name }) => name), 'seeds', ...report.quantities.map(({ title }) => title)];
  const rows = shown.map((at) => {
    const name = variantName(report, at);
    const color = variants.indexOf(name);
    const left = at.left_out.length > 0 ? ` (${at.left_out.length} left out)` : '';
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('span', { class: 'run-name' }, swatch(theme(), { color, pattern: color }), name)),
      ...report.parameters.map(({ values }, i) => element('td', {}, values[at.point[i] ?? -1]?.label ?? nothing)),
      element('td', {}, `${count(at.seeds.length)}${left}`),
      ...at.estimates.map((estimate) => element('td', {}, estimateText(estimate))),
    );
  });
  return element('table', {}, element('thead', {}, element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)))), element('tbody', {}, ...rows));
}

export function addSweep(parent: HTMLElement, report: Report, view: () => Report, card: (spec: ChartSpec, at: HTMLElement) => ChartCard): void {
  if (report.replicates.length === 0) return;
  const swept = report.parameters.length > 0;
  const runs = report.replicates.reduce((sum, at) => sum + at.seeds.length, 0);
  const intro = `${plural(runs, 'run')} at ${plural(report.replicates.length, 'point')}. Values are means over the seeds of a variant; bars and ± show the 95 % confidence interval (Student’s t).`;
  const section = element('section', { id: 'sweep', 'aria-labelledby': 'sweep-title' }, element('h2', { id: 'sweep-title' }, swept ? 'The sweep' : 'Over seeds'), element('p', { class: 'note' }, intro));
  parent.append(section);
  const cards = element('div', { class: 'cards' });
  section.append(cards);
  const made: ChartCard[] = [];
  const redraw = () => made.forEach((chart) => chart.update());
  const parameters = report.parameters.map(({ name }, value) => ({ value, label: name }));
  const along = swept ? chooser('sweep.along', 'Along', parameters, 0, redraw) : null;
  if (along) {
    const wanted = Math.max(0, report.quantities.findIndex(({ name, group }) => name === 'p99' && group.endsWith('slowdown')));
    const figure = chooser('sweep.figure', 'Figure', report.quantities.map(({ title }, value) => ({ value, label: title })), wanted, redraw);
    made.push(
      card(
        {
          caption: 'One plot per value of the other parameters, all with the same scale.',
          controls: parameters.length > 1 ? [figure.root, along.root] : [figure.root],
          wide: true,
          model: (colors, room) => alongSweep(report, shownOf(report, view()), figure.value(), along.value(), colors, room),
        },
        cards,
      ),
    );
  }
  const others = report.parameters.map(({ name, values }) => chooser(`sweep.${name}`, name, values.map(({ label }, value) => ({ value, label })), 0, redraw));
  made.push(
    card(
      {
        caption: 'Each quantity has its own scale.',
        controls: report.parameters.length > 1 ? others.map(({ root }) => root) : [],
        wide: true,
        model: (colors, room) => allFigures(report, shownOf(report, view()), along?.value() ?? -1, others.map((at) => at.value()), colors, room),
      },
      cards,
    ),
  );
  section.append(element('details', {}, element('summary', {}, 'All points in a table'), scrolling('All points', pointsTable(report, report.replicates))));
}
