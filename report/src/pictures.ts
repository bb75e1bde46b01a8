// SPDX-License-Identifier: Apache-2.0
// The pictures that the scenario asks for ([[picture]]), as they stand beside the store.
import type { Report } from './data';
import { element } from './dom';

/** What stands above the drawing: its first text. */
function titleOf(svg: string): string {
  return new DOMParser().parseFromString(svg, 'image/svg+xml').querySelector('text')?.textContent?.trim() ?? '';
}

export function addPictures(parent: HTMLElement, report: Report): void {
  if (report.pictures.length === 0) return;
  const intro = 'The pictures of the scenario, from the last complete campaign in this folder.';
  const section = element('section', { id: 'pictures', 'aria-labelledby': 'pictures-title' }, element('h2', { id: 'pictures-title' }, 'Pictures of the scenario'), element('p', { class: 'note' }, intro));
  const cards = element('div', { class: 'pictures' });
  for (const { file, svg } of report.pictures) {
    // As an image it can neither run scripts nor fetch anything.
    const image = element('img', { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: titleOf(svg) });
    cards.append(element('figure', {}, image, element('figcaption', {}, element('code', {}, file))));
  }
  section.append(cards);
  parent.append(section);
}
