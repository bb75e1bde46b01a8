// SPDX-License-Identifier: Apache-2.0
// The output of `weir export --csv` for the same runs: a second path from the records to figures, independent of the report.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rows of a CSV file as objects (RFC 4180). */
export function readCsv(path) {
  const rows = [[]];
  let field = '';
  let quoted = false;
  const text = readFileSync(path, 'utf8');
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (c === '"') {
      quoted = true;
    } else if (c === ',' || c === '\n') {
      rows.at(-1).push(field);
      field = '';
      if (c === '\n') rows.push([]);
    } else {
      field += c;
    }
  }
  const [head, ...body] = rows.filter((row) => row.length > 0);
  return body.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

/** The files of a run. */
export class Results {
  constructor(folder) {
    this.folder = folder;
    this.summary = readCsv(join(folder, 'summary.csv'));
  }

  /** A figure of the summary; NaN if there is none. */
  figure(of, quantity, size = '') {
    const row = this.summary.find((at) => at.of === of && at.quantity === quantity && at.size === size);
    return row ? Number(row.value) : NaN;
  }
  text(of, quantity) {
    return this.summary.find((at) => at.of === of && at.quantity === quantity)?.value;
  }
  read(name) {
    return readCsv(join(this.folder, name));
  }
}
