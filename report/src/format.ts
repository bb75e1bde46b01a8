// SPDX-License-Identifier: Apache-2.0
// Numbers in readable form.

/** Shown if there is no value. */
export const nothing = '–';

/** Three significant digits, and at least the integer part. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return nothing;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 10_000) return Math.round(value).toLocaleString('en').replace(/,/g, '\u202f');
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.9995) return value.toFixed(2);
  if (size >= 0.001) return String(Number(value.toPrecision(3)));
  return value < 0 ? '>-0.001' : '<0.001';
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en').replace(/,/g, '\u202f');
}

export function percent(share: number): string {
  return number(share * 100);
}

/** The form for an axis: "20 MB", not "20.0 MB". */
export function tick(format: (value: number) => string): (value: number) => string {
  return (value) => format(value).replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');
}

function scaled(value: number, units: string[], step = 1000): string {
  let unit = 0;
  // A value that would be rounded to 1000 is shown in the next unit.
  while (unit + 1 < units.length && Math.abs(value) >= 0.9995 * step) {
    value /= step;
    ++unit;
  }
  return `${number(value)}\u202f${units[unit]}`;
}

/** 1 KB is 1000 bytes. */
export function bytes(value: number): string {
  return value < 1000 ? `${Math.round(value)}\u202fB` : scaled(value / 1000, ['KB', 'MB', 'GB', 'TB']);
}

export function bitRate(bitsPerSecond: number): string {
  return scaled(bitsPerSecond, ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s']);
}

export function duration(microseconds: number): string {
  if (microseconds > 0 && microseconds < 1) return scaled(microseconds * 1e6, ['ps', 'ns', 'µs']);
  return scaled(microseconds, ['µs', 'ms', 's']);
}

/** An instant with enough digits to distinguish neighbours: "1.2345 ms" in steps of 0.1 µs. */
export function instant(microseconds: number, stepUs: number): string {
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(stepUs / 1000))));
  return `${(microseconds / 1000).toFixed(digits)}\u202fms`;
}

export function plural(many: number, one: string, more = `${one}s`): string {
  return `${count(many)} ${many === 1 ? one : more}`;
}
