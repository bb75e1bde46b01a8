// SPDX-License-Identifier: Apache-2.0
// The figures by which variants are compared, and the result: which is best at what, by how much, at what cost.
import { Group, isWhole, variantsOf, variantName, type Estimate, type Look, type Report, type Replicate, type Run, type Split } from './data';
import { bytes, count, number, percent } from './format';

/** A variant at one point of the sweep, if there is one: a participant in the comparison. */
export interface Contender {
  name: string;
  look: Look;
  run: Run | null;
  replicate: Replicate | null;
}

export interface Goal {
  /** "Victims: p99 slowdown" */
  title: string;
  /** For use in a sentence: "p99 slowdown of victims". */
  words: string;
  /** The group of flows, if it is a slowdown; the split of that group gives the reason. */
  group: number | null;
  text: (value: number) => string;
  /** Lower is better. */
  of: (contender: Contender) => Estimate | null;
  /** The explanation of a contender's figure. */
  why: (contender: Contender) => string;
}

/** Those at one point of the sweep; without seeds and sweeps, all runs that ended. */
export function contendersOf(report: Report, point: number[]): Contender[] {
  if (report.replicates.length === 0) {
    return report.runs.filter(isWhole).map((run) => ({ name: run.label, look: run.look, run, replicate: null }));
  }
  const variants = variantsOf(report);
  return report.replicates
    .filter((at, i) => (report.shown?.[i] ?? true) && at.seeds.length > 0 && at.point.every((value, i) => value === point[i]))
    .map((replicate) => {
      const name = variantName(report, replicate);
      const color = variants.indexOf(name);
      return { name, look: { color, pattern: color }, run: report.runs.find((run) => report.replicates[run.replicate ?? -1] === replicate) ?? null, replicate };
    });
}

function single(value: number | null | undefined): Estimate | null {
  return value === null || value === undefined ? null : { n: 1, mean: value, low: null, high: null };
}

const groupWords = ['incasts', 'victims', 'background flows', 'flows outside incasts', 'all flows'];

function slowdownGoal(group: number, statistic: 'mean' | 'p99', of: Goal['of']): Goal {
  const who = groupWords[group] ?? 'flows';
  const name = statistic === 'mean' ? 'mean slowdown' : 'p99 slowdown';
  return { title: `${who.charAt(0).toUpperCase()}${who.slice(1)}: ${name}`, words: `${name} of ${who}`, group, text: number, of, why: () => '' };
}

function goalsOfRuns(report: Report): Goal[] {
  const goals: Goal[] = [];
  for (const group of [Group.victim, Group.background, Group.incast]) {
    if (!report.runs.some((run) => (run.groups[group]?.flows ?? 0) > 0)) continue;
    for (const statistic of ['p99', 'mean'] as const) {
      goals.push(slowdownGoal(group, statistic, ({ run }) => single(run?.groups[group]?.slowdown?.[statistic])));
    }
  }
  const fullest = (run: Run | null) => run?.tiers.reduce<Run['tiers'][number] | null>((most, tier) => (!most || tier.maximum > most.maximum ? tier : most), null);
  const plain = { group: null, why: () => '' };
  goals.push({
    ...plain, title: 'Maximum buffer use of a switch', words: 'largest buffer', text: bytes,
    of: ({ run }) => single(fullest(run)?.maximum),
    why: ({ run }) => (fullest(run) ? `at ${fullest(run)!.fullest}` : ''),
  });
  goals.push({ ...plain, title: 'Time for which links are paused', words: 'time paused', text: (share) => `${percent(share)} %`, of: ({ run }) => single(run?.pausedShare), why: ({ run }) => (run ? `${count(run.pauses)} pauses` : '') });
  goals.push({
    ...plain, title: 'Frames dropped', words: 'drops', text: count,
    of: ({ run }) => single(run?.dropped),
    why: ({ run }) => run?.drops.flatMap((frames, reason) => (frames > 0 && report.dropReasons[reason] !== 'on purpose' ? [`${count(frames)} ${report.dropReasons[reason]}`] : [])).join(', ') ?? '',
  });
  const all = (run: Run | null) => run?.groups[Group.all];
  if (report.runs.some((run) => all(run)?.completed !== all(run)?.due)) {
    goals.push({ ...plain, title: 'Flows that did not complete', words: 'flows that did not complete', text: count, of: ({ run }) => (run ? single((all(run)?.due ?? 0) - (all(run)?.completed ?? 0)) : null) });
  }
  return goals;
}

/** Figures for which more is better, or which another figure covers. */
const unfit = /completed|flows/i;

function goalsOfReplicates(report: Report): Goal[] {
  return report.quantities.flatMap((quantity, i): Goal[] => {
    if (unfit.test(quantity.name) || unfit.test(quantity.group)) return [];
    const of: Goal['of'] = ({ replicate }) => replicate?.estimates[i] ?? null;
    const group = report.groups.findIndex((name) => quantity.group === `${name} slowdown`);
    const statistic = quantity.name === 'p99' ? 'p99' : 'mean';
    if (group >= 0) return [slowdownGoal(group, statistic, of)];
    const unit = quantity.unit === '' ? '' : `\u202f${quantity.unit}`;
    return [{ title: quantity.title, words: quantity.title, group: null, text: (value) => `${number(value)}${unit}`, of, why: () => '' }];
  });
}

export function goalsOf(report: Report): Goal[] {
  return report.replicates.length > 0 ? goalsOfReplicates(report) : goalsOfRuns(report);
}

/** Without intervals, ratios below this count as no difference. */
const same = 1.05;

/** Whether it is open which is lower: the intervals overlap or, for single runs, the values are nearly equal. */
export function isOpen(a: Estimate, b: Estimate): boolean {
  if (a.low !== null && a.high !== null && b.low !== null && b.high !== null) return a.low <= b.high && b.low <= a.high;
  const [low, high] = [Math.min(a.mean, b.mean), Math.max(a.mean, b.mean)];
  return high === low || (low > 0 && high < low * same);
}

export interface Placed {
  contender: Contender;
  estimate: Estimate;
}

export interface Verdict {
  goal: Goal;
  /** The lowest, and those that may be as low. */
  best: Placed[];
  /** The others, lowest first. */
  others: Placed[];
}

/** Null: fewer than two contenders have a figure. */
export function verdictOf(goal: Goal, contenders: Contender[]): Verdict | null {
  const placed = contenders.flatMap((contender): Placed[] => {
    const estimate = goal.of(contender);
    return estimate ? [{ contender, estimate }] : [];
  });
  placed.sort((a, b) => a.estimate.mean - b.estimate.mean);
  const [first] = placed;
  if (!first || placed.length < 2) return null;
  const isBest = (at: Placed): boolean => at === first || isOpen(first.estimate, at.estimate);
  return { goal, best: placed.filter(isBest), others: placed.filter((at) => !isBest(at)) };
}

export interface Cost {
  goal: Goal;
  own: Estimate;
  best: Placed;
  /** Infinity: the best is zero. */
  ratio: number;
}

/** The figures at which a contender is worse than the best: the largest ratio first. */
export function costsOf(contender: Contender, all: Verdict[]): Cost[] {
  return all
    .flatMap(({ goal, best: [best], others }): Cost[] => {
      const own = others.find((at) => at.contender === contender)?.estimate;
      if (!own || !best) return [];
      return [{ goal, own, best, ratio: best.estimate.mean > 0 ? own.mean / best.estimate.mean : Infinity }];
    })
    .sort((a, b) => b.ratio - a.ratio);
}

export const splitParts = ['queueing', 'pause', 'pacing', 'timeout'] as const;
export type SplitPart = (typeof splitParts)[number];

export function splitOf(contender: Contender, group: number): Split | null {
  return contender.run?.splits[group] ?? null;
}

/** The difference between two splits: the parts of the excess of `worse`, the largest first. */
export function differences(best: Split, worse: Split): { part: SplitPart; more: number }[] {
  return splitParts.map((part) => ({ part, more: worse[part] - best[part] })).sort((a, b) => b.more - a.more);
}
