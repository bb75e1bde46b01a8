// SPDX-License-Identifier: Apache-2.0
// The reader's choices in the page's address, so that a link shows what its sender saw: `#section&key=value&key=value`.
// Defaults are omitted.

const values = new Map<string, string>();
let anchor = '';
let pending: number | undefined;

/** Chromium rejects more than 200 changes of the address in 30 s. */
const writeEveryMs = 200;

function read(): void {
  values.clear();
  const [first = '', ...rest] = location.hash.replace(/^#/, '').split('&');
  anchor = first.includes('=') ? '' : decodeURIComponent(first);
  for (const part of first.includes('=') ? [first, ...rest] : rest) {
    const at = part.indexOf('=');
    if (at > 0) values.set(decodeURIComponent(part.slice(0, at)), decodeURIComponent(part.slice(at + 1)));
  }
}

/** Commas and ranges remain readable. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/%2C/g, ',').replace(/%3E/g, '>');
}

function write(): void {
  pending = undefined;
  const parts = [...values].map(([key, value]) => `${encoded(key)}=${encoded(value)}`);
  if (anchor !== '' || parts.length > 0) parts.unshift(encoded(anchor));
  const hash = `#${parts.join('&')}`.replace(/^#&/, '#');
  if (hash === (location.hash || '#')) return;
  history.replaceState(null, '', hash);
}

/** The choice for `key`; null: none. */
export function inAddress(key: string): string | null {
  return values.get(key) ?? null;
}

/** Stores a choice; null: the default. */
export function toAddress(key: string, value: string | null): void {
  if (value === null ? !values.delete(key) : values.get(key) === value) return;
  if (value !== null) values.set(key, value);
  pending ??= window.setTimeout(write, writeEveryMs);
}

/** A chosen number; null: none, or not a number. */
export function numberInAddress(key: string): number | null {
  const text = inAddress(key);
  const value = text === null || text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

export function anchorInAddress(): string {
  return anchor;
}

/** Calls `changed` when the reader changes the page's address; a link to a section keeps the choices. */
export function followAddress(changed: () => void): void {
  read();
  addEventListener('hashchange', () => {
    if (pending !== undefined) clearTimeout(pending);
    pending = undefined;
    const hash = location.hash.replace(/^#/, '');
    if (hash !== '' && !hash.includes('=')) {
      anchor = decodeURIComponent(hash);
      write();
      return;
    }
    read();
    changed();
  });
}
