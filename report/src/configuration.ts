// SPDX-License-Identifier: Apache-2.0
// The configuration of the runs.
import { isWhole, type Report } from './data';
import { element, scrolling } from './dom';
import { remarks } from './findings';
import { count, duration, nothing } from './format';
import { runName } from './overview';

function row(name: Node, cells: (string | Node)[]): HTMLElement {
  return element('tr', {}, element('th', { scope: 'row' }, name), ...cells.map((cell) => element('td', { class: 'text' }, cell)));
}

function runsTable(report: Report): HTMLTableElement {
  const heads = ['run', 'state', 'scenario', 'seed', 'simulated', 'digest', 'version', 'packet hops', 'wall time'];
  const body = report.runs.map((run, number) =>
    row(runName(report.runs[number]!), [
      isWhole(run) ? 'complete' : run.failure === '' ? 'interrupted' : 'failed',
      run.scenario,
      run.seed,
      duration(run.simulatedUs),
      element('code', {}, run.digest),
      run.version,
      count(run.packetHops),
      `${run.wallSeconds.toFixed(1)} s`,
    ]),
  );
  const head = element('tr', {}, ...heads.map((text) => element('th', { scope: 'col', style: 'text-align:left' }, text)));
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
}

function differencesTable(report: Report): HTMLTableElement {
  const head = element('tr', {}, element('th', { scope: 'col' }, 'key'));
  report.runs.forEach((_, number) => head.append(element('th', { scope: 'col', style: 'text-align:left' }, runName(report.runs[number]!))));
  const body = report.differences.map(({ path, values }) =>
    row(element('code', {}, path), values.map((value) => (value === '' ? nothing : element('code', {}, value)))),
  );
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
}

export function addConfiguration(parent: HTMLElement, report: Report): void {
  parent.append(scrolling('The runs', runsTable(report)));
  if (report.differences.length > 0) {
    parent.append(element('h3', {}, 'Where their configurations differ'), scrolling('Differences of the configurations', differencesTable(report)));
  }
  const said = remarks(report);
  if (said) parent.append(element('h3', {}, 'Warnings of weir check'), said);
  parent.append(element('h3', {}, 'The complete effective configuration'));
  for (const run of report.runs) {
    parent.append(element('details', {}, element('summary', {}, run.label), element('pre', { tabindex: 0 }, run.configuration)));
  }
}
