// SPDX-License-Identifier: Apache-2.0
// Findings that cast doubt on results: cycles of ports that wait for each other (possible ones, which weir check finds
// before a run, and actual ones), and frames that a lossless priority lost.
import type { Finding, Report, Run } from './data';
import { element } from './dom';
import { duration } from './format';

/** A finding and the numbers of its runs. */
interface Found {
  finding: Finding;
  runs: number[];
}

/** The findings of these kinds; equal findings of several runs on one network appear once. */
function foundOf(report: Report, kinds: Finding['kind'][]): Found[] {
  const found = new Map<string, Found>();
  report.runs.forEach((run, number) => {
    for (const finding of run.findings) {
      if (!kinds.includes(finding.kind)) continue;
      const key = JSON.stringify([finding, finding.ports.length > 0 ? run.network : null]);
      const known = found.get(key);
      if (known) known.runs.push(number);
      else found.set(key, { finding, runs: [number] });
    }
  });
  return [...found.values()];
}

function namesOf(report: Report, runs: number[]): string {
  if (runs.length === report.runs.length && runs.length > 1) return 'all runs';
  return runs.map((run) => report.runs[run]?.label ?? '').join(', ');
}

export function portName(report: Report, run: Run | undefined, link: number): string {
  const network = report.networks[run?.network ?? -1];
  const [from, to] = network?.links[link] ?? [-1, -1];
  return `${network?.nodes[from]?.[0] ?? '?'} → ${network?.nodes[to]?.[0] ?? '?'}`;
}

/** The ports in order, with the first again at the end. */
function circle(report: Report, run: Run | undefined, finding: Finding): HTMLElement {
  const names = finding.ports.map(({ link, what }) => portName(report, run, link) + (what === '' ? '' : ` (${what})`));
  const items = [...names, ...names.slice(0, 1)].map((name, i) => element('li', {}, i === 0 ? '' : 'waits for ', element('code', {}, name)));
  return element('ol', { class: 'circle', 'aria-label': 'Each port waits for the next' }, ...items);
}

function cycleBox(report: Report, { finding, runs }: Found): HTMLElement {
  const when = finding.failed === '' ? 'with all links up' : `without ${finding.failed}`;
  return element(
    'div',
    { class: 'finding cycle', role: 'note' },
    element('h3', {}, 'Cyclic buffer dependency'),
    element('p', {}, element('b', {}, namesOf(report, runs)), `: weir check found that, ${when}, buffers can wait for each other in a cycle:`),
    circle(report, report.runs[runs[0] ?? -1], finding),
    element('p', { class: 'note' }, `This is one of the shortest; ${finding.text}.`),
  );
}

function deadlockBox(report: Report, run: Run, finding: Finding): HTMLElement {
  return element(
    'div',
    { class: 'finding warning', role: 'note' },
    element('h3', {}, 'Deadlock'),
    element('p', {}, element('b', {}, run.label), ` failed at ${duration(run.simulatedUs)}: ${finding.text}. A cycle of them:`),
    circle(report, run, finding),
    element('p', { class: 'note' }, 'The results until then are shown.'),
  );
}

function dropsBox(report: Report, { finding, runs }: Found): HTMLElement {
  return element(
    'div',
    { class: 'finding warning', role: 'note' },
    element('h3', {}, 'Drops of a lossless priority'),
    element('p', {}, element('b', {}, namesOf(report, runs)), `: ${finding.text}.`),
  );
}

function watchdogBox(report: Report, { finding, runs }: Found): HTMLElement {
  return element(
    'div',
    { class: 'finding warning', role: 'note' },
    element('h3', {}, 'Pause watchdog'),
    element('p', {}, element('b', {}, namesOf(report, runs)), `: ${finding.text}.`),
  );
}

/** What made the run stop, if it was a deadlock of which the ports are known. */
export function deadlockOf(run: Run): Finding | undefined {
  return run.findings.find(({ kind }) => kind === 'deadlock');
}

/** A box for each deadlock, for what lossless priorities of each run lost, for what pause watchdogs did, and for each cyclic buffer dependency. */
export function findingBoxes(report: Report): HTMLElement[] {
  const deadlocks = report.runs.flatMap((run) => {
    const finding = deadlockOf(run);
    return finding ? [deadlockBox(report, run, finding)] : [];
  });
  const drops = foundOf(report, ['drops of a lossless priority']).map((found) => dropsBox(report, found));
  const storms = foundOf(report, ['pause watchdog']).map((found) => watchdogBox(report, found));
  return [...deadlocks, ...drops, ...storms, ...foundOf(report, ['cyclic buffer dependency']).map((found) => cycleBox(report, found))];
}

/** Warnings and notes of weir check; null: none. */
export function remarks(report: Report): HTMLElement | null {
  const found = foundOf(report, ['warning', 'note']);
  if (found.length === 0) return null;
  return element(
    'ul',
    { class: 'remarks' },
    ...found.map(({ finding, runs }) => element('li', {}, element('b', {}, namesOf(report, runs)), `: ${finding.kind === 'warning' ? 'warning: ' : ''}${finding.text}`)),
  );
}
