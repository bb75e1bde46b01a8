// SPDX-License-Identifier: Apache-2.0
// Builds the viewer into one page, and the page into a C++ source.
//
// usage: node build.mjs [--modules DIR] [--html FILE] [--cpp FILE]
//   --modules  where npm put the packages; report/node_modules by default
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    modules: { type: 'string', default: join(here, 'node_modules') },
    html: { type: 'string' },
    cpp: { type: 'string' },
  },
});
const modules = resolve(options.modules);
const { build } = createRequire(join(modules, 'esbuild', 'package.json'))('esbuild');

/** One file of src/ with its imports, minified. */
async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2020', 'chrome90', 'firefox90', 'safari15'],
    nodePaths: [modules],
    charset: 'utf8',
    legalComments: 'inline',
    write: false,
    logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
}

function put(page, place, text) {
  if (page.split(place).length !== 2) throw new Error(`${place} must stand once in index.html`);
  return page.replace(place, () => text);
}

/** `text` as a string literal of any length. */
function literal(text) {
  const delimiter = 'weir_page';
  if (text.includes(`)${delimiter}"`)) throw new Error('the page contains the end of its own literal');
  return `R"${delimiter}(${text})${delimiter}"`;
}

function cpp(page) {
  return `// Built from report/ by report/build.mjs.
#include "report/viewer.h"

#pragma GCC diagnostic ignored "-Woverlength-strings"

namespace weir {

std::string_view report_viewer() {
  static constexpr char kPage[] = ${literal(page)};
  return {kPage, sizeof kPage - 1};
}

}  // namespace weir
`;
}

function write(path, text) {
  mkdirSync(dirname(resolve(path)), { recursive: true });
  writeFileSync(path, text);
}

let page = readFileSync(join(here, 'src', 'index.html'), 'utf8');
page = put(page, '/* style */', await bundle('style.css'));
page = put(page, '/* script */', await bundle('main.ts'));
if (options.html) write(options.html, page);
if (options.cpp) write(options.cpp, cpp(page));
