// SPDX-License-Identifier: Apache-2.0
// An overview of the whole run above the slider.
import { bytes, number } from '../format';
import type { Theme } from '../theme';

const space = 'http://www.w3.org/2000/svg';
const width = 1000;
const height = 46;

function node(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

export class Strip {
  readonly root = node('svg', { class: 'strip', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img' }) as SVGSVGElement;
  private readonly cursor = node('line', { y1: 0, y2: height, 'stroke-width': 2, 'vector-effect': 'non-scaling-stroke' });

  constructor(seek: (share: number) => void) {
    const follow = (event: PointerEvent) => {
      const box = this.root.getBoundingClientRect();
      seek(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)));
    };
    this.root.addEventListener('pointerdown', follow);
    this.root.addEventListener('pointermove', (event) => {
      if (event.buttons === 1) follow(event);
    });
  }

  /** Queued bytes as an area, paused links as a line, each relative to its own maximum. */
  draw(queued: number[], paused: number[], intervalUs: number, lastUs: number, colors: Theme, of: string): void {
    const most = Math.max(1, ...queued);
    const mostPaused = Math.max(...paused, 0);
    const x = (i: number): string => ((Math.min(i * intervalUs, lastUs) / lastUs) * width).toFixed(1);
    const y = (share: number): string => (height - 2 - share * (height - 6)).toFixed(1);
    const steps = (values: number[], largest: number): string =>
      values.map((value, i) => `${x(i)} ${y(value / largest)}L${x(i + 1)} ${y(value / largest)}`).join('L');
    const parts = [node('path', { d: `M0 ${y(0)}L${steps(queued, most)}L${x(queued.length)} ${y(0)}Z`, fill: colors.queue, 'fill-opacity': 0.55 })];
    if (mostPaused > 0) {
      parts.push(node('path', { d: `M${steps(paused, mostPaused)}`, fill: 'none', stroke: colors.pause, 'stroke-width': 1.2, 'vector-effect': 'non-scaling-stroke' }));
    }
    parts.push(node('line', { x1: 0, x2: width, y1: height - 1, y2: height - 1, stroke: colors.line }));
    this.cursor.setAttribute('stroke', colors.text);
    this.root.replaceChildren(...parts, this.cursor);
    const pauses = mostPaused > 0 ? `; line: links paused, up to ${number(mostPaused)}` : '';
    this.root.setAttribute('aria-label', `Over the whole run. Area: bytes queued in ${of}, up to ${bytes(most)}${pauses}`);
    this.root.append(title(`Area: bytes queued in ${of}, up to ${bytes(most)}${pauses}`));
  }

  mark(share: number): void {
    const x = (share * width).toFixed(1);
    this.cursor.setAttribute('x1', x);
    this.cursor.setAttribute('x2', x);
  }
}

function title(text: string): SVGElement {
  const made = node('title', {});
  made.textContent = text;
  return made;
}
