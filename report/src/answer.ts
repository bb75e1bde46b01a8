// SPDX-License-Identifier: Apache-2.0
// The first panel: which variant is best at what, by how much, at what cost, and why.
import { ChartCard } from './chart_card';
import { swatch } from './charts/options';
import { splitChart } from './charts/split';
import { Group, groupsWithFlows, type Report } from './data';
import { chooser, element, scrolling } from './dom';
import { nothing, number } from './format';
import { contendersOf, costsOf, differences, goalsOf, splitOf, verdictOf, type Contender, type Cost, type Placed, type Verdict } from './goals';
import { theme } from './theme';

function named(contender: Contender): HTMLElement {
  return element('span', { class: 'run-name' }, swatch(theme(), contender.look), contender.name);
}

function figure({ estimate }: Placed, text: (value: number) => string): string {
  if (estimate.low === null || estimate.high === null) return text(estimate.mean);
  return `${text(estimate.mean)} ± ${text((estimate.high - estimate.low) / 2)}`;
}

/** "3.30 times". */
function times(high: number, low: number): string {
  return `${number(high / low)} times`;
}

function bestCell({ best, others, goal }: Verdict): HTMLElement {
  const shown = others.length === 0 ? [] : best;
  if (shown.length === 0) return element('td', {}, element('i', {}, 'no difference shown'));
  return element('td', { class: 'best' }, ...shown.map((at) => element('div', {}, named(at.contender), element('b', {}, figure(at, goal.text)))));
}

/** With more others than this, only the first and the worst are listed. */
const othersTold = 3;

function marginCell({ best, others, goal }: Verdict): HTMLElement {
  const [first] = best;
  if (!first) return element('td', {}, nothing);
  if (others.length === 0) {
    const last = best[best.length - 1]!;
    return element('td', {}, `${figure(first, goal.text)} to ${figure(last, goal.text)}`);
  }
  const told = others.length <= othersTold ? others : [others[0]!, others[others.length - 1]!];
  const left = others.length - told.length;
  const line = (at: Placed): HTMLElement => {
    const value = figure(at, goal.text);
    const ratio = first.estimate.mean > 0 ? `${times(at.estimate.mean, first.estimate.mean)} that, ${value}` : value;
    return element('div', {}, named(at.contender), ratio);
  };
  const lines = told.map(line);
  if (left > 0) lines.splice(1, 0, element('div', { class: 'note' }, `${left} more between`));
  return element('td', {}, ...lines);
}

/** Parts below this share of the excess are not mentioned. */
const smallShare = 0.1;

function whyText({ goal, best, others }: Verdict): string {
  const worst = others[others.length - 1];
  const [first] = best;
  if (!worst || !first) return nothing;
  if (goal.group === null) {
    const reason = goal.why(worst.contender);
    return reason === '' ? nothing : `${worst.contender.name}: ${reason}`;
  }
  const [good, bad] = [splitOf(first.contender, goal.group), splitOf(worst.contender, goal.group)];
  if (!good || !bad) return 'not measured ([measure] slowdown_split)';
  const more = differences(good, bad).filter((at) => at.more > 0);
  const sum = more.reduce((all, at) => all + at.more, 0);
  if (sum <= 0) return 'not in the means: a few flows make the difference';
  const told = more.filter((at) => at.more >= smallShare * sum).map((at) => `${at.part} +${number(at.more)}`);
  return `on average, ${worst.contender.name} has ${told.join(', ')}`;
}

function table(verdicts: Verdict[]): HTMLTableElement {
  const heads = ['', 'best', 'by how much', 'why the last is worse'];
  const head = element('tr', {}, ...heads.map((text, i) => (i === 0 ? element('td') : element('th', { scope: 'col' }, text))));
  const body = verdicts.map((verdict) =>
    element('tr', {}, element('th', { scope: 'row' }, verdict.goal.title), bestCell(verdict), marginCell(verdict), element('td', {}, whyText(verdict))),
  );
  return element('table', { class: 'answer' }, element('thead', {}, head), element('tbody', {}, ...body));
}

/** The costs of at most this many variants are given: those with the most figures. */
const variantsTold = 6;
const costsTold = 4;

function costText({ goal, own, best, ratio }: Cost): string {
  const against = Number.isFinite(ratio) ? `${number(ratio)} times that of ${best.contender.name}` : `${best.contender.name} has none`;
  return `${goal.words} ${goal.text(own.mean)} (${against})`;
}

/** One line for each variant that is best at some figure: which one, and at what cost. */
function headline(verdicts: Verdict[]): HTMLElement {
  const decided = verdicts.filter(({ others }) => others.length > 0);
  if (decided.length === 0) return element('p', { class: 'headline' }, 'No quantity shows a difference between the variants.');
  const wins = new Map<Contender, string[]>();
  for (const { goal, best } of decided) for (const { contender } of best) wins.set(contender, [...(wins.get(contender) ?? []), goal.words]);
  const most = [...wins].sort((a, b) => b[1].length - a[1].length).slice(0, variantsTold);
  const lines = most.map(([contender, goals]) => {
    const costs = costsOf(contender, verdicts);
    const price = costs.length === 0 ? 'It is not worse than another in any of these quantities.' : `What it costs: ${costs.slice(0, costsTold).map(costText).join('; ')}${costs.length > costsTold ? '; and more' : ''}.`;
    const shared = decided.filter(({ best }) => best.length > 1 && best.some((at) => at.contender === contender)).length;
    const among = shared > 0 ? `, ${shared} of them with others` : '';
    return element('li', {}, named(contender), `is best in ${goals.length} of ${decided.length} quantities${among}: ${goals.join(', ')}. `, element('span', { class: 'cost' }, price));
  });
  return element('ul', { class: 'headline' }, ...lines);
}

export class Answer {
  readonly root = element('section', { id: 'answer', 'aria-labelledby': 'answer-title' });
  private readonly body = element('div');
  private readonly points: { value: () => number }[];
  private readonly split: ChartCard | null = null;

  constructor(private readonly view: () => Report) {
    const report = view();
    const controls = element('div', { class: 'controls' });
    this.points = report.parameters.map(({ name, values }) => {
      const choices = values.map(({ label }, value) => ({ value, label }));
      const made = chooser(`at.${name}`, name, choices, Math.max(0, values.length - 1), () => this.update());
      controls.append(made.root);
      return made;
    });
    this.root.append(element('h2', { id: 'answer-title' }, 'Which is best, and why'), ...(controls.childElementCount > 0 ? [controls] : []), this.body);
    if (report.runs.some((run) => run.splits.some((split) => split))) this.split = this.splitCard(report);
    this.update();
  }

  update(): void {
    const report = this.view();
    const contenders = this.contenders();
    const verdicts = goalsOf(report).flatMap((goal) => verdictOf(goal, contenders) ?? []);
    // A figure that is zero for all variants compares nothing.
    const told = verdicts.filter(({ best, others }) => others.length > 0 || best.some(({ estimate }) => estimate.mean > 0));
    this.body.replaceChildren();
    if (contenders.length < 2 || told.length === 0) {
      this.body.append(element('p', { class: 'note' }, 'There are no two runs to compare.'));
    } else {
      const intervals = contenders.some(({ replicate }) => (replicate?.seeds.length ?? 0) > 1);
      const note = intervals
        ? 'Means over seeds with 95 % confidence intervals; no difference is stated between variants whose intervals overlap.'
        : 'One run per variant: differences below 5 % are ignored, and larger ones may be due to chance. Use several seeds to find out.';
      this.body.append(headline(told), scrolling('Which is best, and why', table(told)), element('p', { class: 'note' }, note));
    }
    this.split?.update();
  }

  private contenders(): Contender[] {
    return contendersOf(this.view(), this.points.map((at) => at.value()));
  }

  private splitCard(report: Report): ChartCard {
    const groups = groupsWithFlows(report);
    const first = groups.includes(Group.notIncast) ? Group.notIncast : (groups[0] ?? Group.all);
    const group = chooser('split', 'Flows', groups.map((value) => ({ value, label: report.groups[value] ?? '' })), groups.indexOf(first), () => made.update());
    const at = element('div', { class: 'cards' });
    this.root.append(at);
    const made: ChartCard = new ChartCard(at, {
      caption: 'Mean waiting time of the flows of a run by cause, in units of their ideal FCT: 1 plus the parts equals the mean slowdown.',
      controls: [group.root],
      wide: true,
      model: (colors, room) => splitChart(this.contenders(), group.value(), report.groups[group.value()] ?? '', colors, room),
    });
    return made;
  }
}
