// SPDX-License-Identifier: Apache-2.0
// Short functions for elements of the page.
import { inAddress, toAddress } from './address';

type Attributes = Record<string, string | number | boolean | undefined>;

/** An element with attributes and children; text is never interpreted as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

export interface Choice<Value> {
  value: Value;
  label: string;
}

/** A labelled select. */
export interface Chooser<Value> {
  root: HTMLLabelElement;
  value: () => Value;
}

/** A labelled select. `changed` is called with the choice, which is stored in the address under `key`. */
export function chooser<Value>(key: string, label: string, choices: Choice<Value>[], fallback: number, changed: (value: Value) => void): Chooser<Value> {
  const known = choices.findIndex((choice) => choice.label === inAddress(key));
  let index = known >= 0 ? known : fallback;
  const select = element('select');
  choices.forEach((choice, i) => select.append(element('option', { value: i, selected: i === index }, choice.label)));
  const value = (): Value => choices[index]!.value;
  select.addEventListener('change', () => {
    index = Math.max(0, select.selectedIndex);
    toAddress(key, index === fallback ? null : choices[index]!.label);
    changed(value());
  });
  return { root: element('label', { class: 'chooser' }, element('span', {}, label), select), value };
}

/** Content wider than the page scrolls separately; its edge shows that there is more. */
export function scrolling(label: string, ...children: HTMLElement[]): HTMLElement {
  const region = element('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': label }, ...children);
  const frame = element('div', { class: 'scroll-frame' }, region);
  const mark = () => {
    const hidden = region.scrollWidth - region.clientWidth;
    frame.classList.toggle('more-left', region.scrollLeft > 1);
    frame.classList.toggle('more-right', region.scrollLeft < hidden - 1);
  };
  region.addEventListener('scroll', mark, { passive: true });
  const sizes = new ResizeObserver(mark);
  sizes.observe(region);
  for (const child of children) sizes.observe(child);
  return frame;
}

/** Downloads a file to the reader's device. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has opened it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A table; the first cell of each row is a header. */
export function table(head: string[], rows: string[][], caption: string): HTMLTableElement {
  const body = rows.map((cells) =>
    element('tr', {}, ...cells.map((cell, i) => (i === 0 ? element('th', { scope: 'row' }, cell) : element('td', {}, cell)))),
  );
  return element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...head.map((cell) => element('th', { scope: 'col' }, cell)))),
    element('tbody', {}, ...body),
  );
}

/** A file name for a title. */
export function fileName(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'chart';
}
