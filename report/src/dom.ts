// SPDX-License-Identifier: Apache-2.0
// Elements, briefly.

type Attributes = Record<string, string | number | boolean | undefined>;

/** An element with attributes and children; text is text, never markup. */
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

/** A labelled select. `chosen` is called with what is picked. */
export function chooser<Value>(
  label: string,
  choices: Choice<Value>[],
  initial: number,
  chosen: (value: Value, index: number) => void,
): HTMLLabelElement {
  const select = element('select');
  choices.forEach((choice, index) => select.append(element('option', { value: index, selected: index === initial }, choice.label)));
  select.addEventListener('change', () => {
    const choice = choices[select.selectedIndex];
    if (choice) chosen(choice.value, select.selectedIndex);
  });
  return element('label', { class: 'chooser' }, element('span', {}, label), select);
}

/** Gives the reader a file. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A table; the first cell of a row heads it. */
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

/** A file name of a title. */
export function fileName(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'chart';
}
