// SPDX-License-Identifier: Apache-2.0
// A browser that records errors and requests of a page.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const desktop = { width: 1280, height: 900 };
export const phone = { width: 375, height: 812 };

export function launch() {
  // Chromium refuses its sandbox to root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  // Readers have scrollbars.
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args, ignoreDefaultArgs: ['--hide-scrollbars'] });
}

/** Opens a file. `faults` collects what a correct page never causes: errors, warnings, network requests. */
export async function open(browser, file, { viewport = desktop, colorScheme = 'light', hash = '' } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, acceptDownloads: true });
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href + hash);
  return { page, faults, close: () => context.close() };
}

export async function screenshot(page, name, fullPage = true) {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}

/** The file that a click on a button saves. */
export async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const parts = [];
  for await (const part of await download.createReadStream()) parts.push(part);
  return { name: download.suggestedFilename(), text: Buffer.concat(parts).toString('utf8') };
}

/** The report's data as stored in the page. */
export function dataOf(page) {
  return page.evaluate(() => JSON.parse(document.getElementById('weir-data').textContent));
}

/** The figure whose title begins with this text. */
export function figure(page, title) {
  return page.locator('figure', { has: page.locator('h3', { hasText: new RegExp(`^${title}`) }) });
}

/** Makes a copy of the report in `file` with other data; returns its path. */
export function changedReport(file, name, change) {
  const html = readFileSync(file, 'utf8');
  const [before, rest] = html.split('<script id="weir-data" type="application/json">');
  const end = rest.indexOf('</script>');
  const data = JSON.parse(rest.slice(0, end));
  change(data);
  const other = file.replace(/\.html$/, `_${name}.html`);
  const text = JSON.stringify(data).replace(/</g, '\\u003c');
  writeFileSync(other, `${before}<script id="weir-data" type="application/json">${text}${rest.slice(end)}`);
  return other;
}
