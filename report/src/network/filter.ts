// SPDX-License-Identifier: Apache-2.0
// The part of a network that is drawn: names as in scenarios, and the nodes linked with them.
import type { Plan } from './layout';

/** "tor12" is "tor" and 12. */
function split(name: string): { stem: string; number: number } | null {
  const found = /^(.*?)(\d+)$/.exec(name);
  return found ? { stem: found[1] ?? '', number: Number(found[2]) } : null;
}

function matches(word: string): (name: string) => boolean {
  const ends = word.split('..');
  const [first, last] = [split(ends[0] ?? ''), split(ends[1] ?? '')];
  if (ends.length === 2 && first && last && first.stem === last.stem) {
    return (name) => {
      const at = split(name);
      return at !== null && at.stem === first.stem && at.number >= first.number && at.number <= last.number;
    };
  }
  const pattern = new RegExp(`^${word.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`);
  return (name) => pattern.test(name);
}

/** Nodes that match any word: "tor3", "tor0..tor7", "tor1*"; words are separated by blanks or commas. */
export function namedNodes(plan: Plan, text: string): number[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '').map(matches);
  return plan.network.nodes.flatMap(([name], node) => (words.some((is) => is(name)) ? [node] : []));
}

/**
 * The nodes to draw for a filter: those that it names, their hosts and neighbours, and the switches above. Null: all,
 * because the filter is empty or matches nothing.
 */
export function kept(plan: Plan, text: string): Set<number> | null {
  const named = namedNodes(plan, text);
  if (named.length === 0) return null;
  const keep = new Set(named);
  const neighbours = (node: number): number[] => (plan.leaving[node] ?? []).map((link) => plan.links[link]!.to);
  for (const node of named) for (const next of neighbours(node)) keep.add(next);
  // Upwards from all kept nodes: a frame's path out of a rack remains complete.
  const open = [...keep].filter((node) => named.includes(node) || plan.isHost[node] || neighbours(node).some((at) => named.includes(at) && plan.tier(at) < plan.tier(node)));
  for (let i = 0; i < open.length; ++i) {
    for (const next of neighbours(open[i]!)) {
      if (plan.isHost[next] || keep.has(next) || plan.tier(next) <= plan.tier(open[i]!)) continue;
      keep.add(next);
      open.push(next);
    }
  }
  return keep;
}
