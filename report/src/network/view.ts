// SPDX-License-Identifier: Apache-2.0
// The reader's view in the pictures of the network: the part, the zoom, and the choice. All pictures share it, and it
// is stored in the address.
import { inAddress, numberInAddress, toAddress } from '../address';
import type { Focus } from './draw';
import type { Plan } from './layout';

export const mostZoom = 16;

export class View {
  /** Names of nodes; empty: all. */
  filter = inAddress('show') ?? '';
  /** 1: the whole picture is visible. */
  zoom = 1;
  /** The centre of the visible part, as shares of the picture. */
  x = 0.5;
  y = 0.5;
  /** A node, or a link as "from>to"; empty: nothing. */
  chosen = inAddress('node') ?? '';

  constructor(private readonly changed: () => void) {
    const [zoom, x, y] = (inAddress('view') ?? '').split(',').map(Number);
    if (zoom !== undefined && zoom > 1) this.lookAt(zoom, x ?? 0.5, y ?? 0.5, false);
  }

  setFilter(text: string): void {
    this.filter = text;
    toAddress('show', text === '' ? null : text);
    this.changed();
  }

  choose(name: string): void {
    this.chosen = name;
    toAddress('node', name === '' ? null : name);
    this.changed();
  }

  lookAt(zoom: number, x: number, y: number, tell = true): void {
    this.zoom = Math.max(1, Math.min(mostZoom, zoom || 1));
    const half = 0.5 / this.zoom;
    const within = (at: number): number => Math.max(half, Math.min(1 - half, Number.isFinite(at) ? at : 0.5));
    this.x = within(x);
    this.y = within(y);
    const short = (value: number): string => String(Math.round(value * 1e4) / 1e4);
    toAddress('view', this.zoom <= 1.001 ? null : [this.zoom, this.x, this.y].map(short).join(','));
    if (tell) this.changed();
  }

  /** The focus within a network; null: nothing in it is chosen. */
  focus(plan: Plan): Focus | null {
    if (this.chosen === '') return null;
    const [from, to] = this.chosen.split('>');
    const node = (name: string | undefined): number => plan.network.nodes.findIndex(([at]) => at === name);
    if (to === undefined) {
      const at = node(from);
      if (at < 0) return null;
      const out = plan.leaving[at] ?? [];
      return { nodes: new Set([at]), links: new Set([...out, ...out.map((link) => plan.back[link] ?? -1)]) };
    }
    const [a, b] = [node(from), node(to)];
    const links = plan.links.flatMap((link, i) => ((link.from === a && link.to === b) || (link.from === b && link.to === a) ? [i] : []));
    return links.length === 0 ? null : { nodes: new Set([a, b]), links: new Set(links) };
  }
}

/** The instant in the address, in microseconds. */
export function timeInAddress(): number | null {
  return numberInAddress('t');
}

export function timeToAddress(us: number): void {
  toAddress('t', String(Math.round(us * 1e3) / 1e3));
}
