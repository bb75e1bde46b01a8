// SPDX-License-Identifier: Apache-2.0
// The report of a real run in a real browser: it must agree with the run's CSV files.
//
// PAGE: the report; RESULTS: the folder of `weir export`; CIRCLE: the report of circle.toml; SCREENSHOTS: an optional
// folder for pictures.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { changedReport, dataOf, desktop, figure, launch, open, phone, saved, screenshot } from './browser.mjs';
import { Results } from './results.mjs';

const file = process.env.PAGE;
const runs = ['pfc', 'lossy'];
const results = Object.fromEntries(runs.map((run) => [run, new Results(join(process.env.RESULTS, run))]));
const classes = ['victim', 'background', 'incast'];

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** A test with the report open; it fails on any fault of the page. */
function look(name, options, examine) {
  test(name, async () => {
    const opened = await open(browser, options.file ?? file, options);
    try {
      await examine(opened.page);
      assert.deepEqual(opened.faults, []);
    } finally {
      await opened.close();
    }
  });
}

/** The page's numbers without its thin spaces. */
function read(text) {
  return Number(text.replace(/[\u202f\s]/g, ''));
}

/** Equal in the three digits that are shown. */
function assertShows(text, value, what) {
  assert.ok(Math.abs(read(text) - value) <= Math.max(0.0051 * Math.abs(value), 1e-9), `${what}: "${text}" for ${value}`);
}

describe('the first screen', () => {
  test('is there in less than two seconds', async () => {
    const context = await browser.newContext({ viewport: desktop });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    // Processor time of the page only: independent of other processes.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(pathToFileURL(file).href);
    const { metrics } = await session.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'TaskDuration').value;
    assert.ok(seconds > 0.01 && seconds < 2, `${seconds} s`);
    await context.close();
  });

  look('asks the question and compares the runs', {}, async (page) => {
    assert.equal(await page.locator('h1').textContent(), 'Tiny incast');
    assert.match(await page.locator('.question').textContent(), /^What does a small incast do/);
    const rows = page.locator('table.overview tbody tr');
    assert.equal(await rows.count(), runs.length);
    for (const [i, run] of runs.entries()) {
      const name = await rows.nth(i).locator('th').textContent();
      assert.equal(name, run);
      const cells = await rows.nth(i).locator('td').allTextContents();
      const expected = classes.flatMap((of) => [results[run].figure(of, 'slowdown.mean'), results[run].figure(of, 'slowdown.p99')]);
      expected.forEach((value, column) => assertShows(cells[column], value, `${run}, column ${column}`));
    }
    await screenshot(page, 'desktop');
    await screenshot(page, 'desktop_first', false);
  });

  look('shows the pictures of the scenario', {}, async (page) => {
    const images = page.locator('#pictures img');
    assert.equal(await images.count(), 1);
    assert.equal(await images.getAttribute('alt'), 'p99 slowdown');
    assert.equal(await images.evaluate((image) => image.naturalWidth > 0 && image.complete), true);
    assert.equal(await page.locator('#pictures figcaption').textContent(), 'picture.svg');
    await page.locator('#pictures').scrollIntoViewIfNeeded();
    await screenshot(page, 'pictures', false);
  });

  look('names digest, seed and configuration', {}, async (page) => {
    const text = await page.locator('#runs').textContent();
    for (const run of runs) assert.ok(text.includes(results[run].text('run', 'digest')), run);
    assert.notEqual(results.pfc.text('run', 'digest'), results.lossy.text('run', 'digest'));
    const differences = page.locator('#runs table').nth(1);
    const row = differences.locator('tr', { hasText: 'switch.lossless' });
    assert.deepEqual(await row.locator('td').allTextContents(), ['[3]', '[]']);
    assert.match(await page.locator('#runs pre').first().textContent(), /scheme = "dynamic_threshold"/);
  });
});

/** The bars of a chart by their colour: left edge and height, from left to right. */
function barsOf(chart) {
  return chart.locator('svg path').evaluateAll((paths) => {
    const boxes = paths
      .map((path) => ({ fill: path.getAttribute('fill'), box: path.getBBox(), matrix: path.getCTM() }))
      .filter(({ fill, box }) => fill?.startsWith('#') && box.height > 0 && box.width > 0)
      .map(({ fill, box }) => ({ fill, x: box.x, height: box.height, bottom: Math.round((box.y + box.height) * 10) / 10 }));
    const floor = Math.max(...boxes.map(({ bottom }) => bottom));
    return boxes.filter(({ bottom }) => Math.abs(bottom - floor) < 0.6).sort((a, b) => a.x - b.x);
  });
}

const colors = { pfc: '#14327f', lossy: '#de7a00' };

describe('charts', () => {
  for (const [group, label] of [['not incast', 'not incast'], ['incast', 'incast'], ['all', 'all']]) {
    for (const [statistic, name] of [['mean', 'average'], ['p50', 'p50'], ['p95', 'p95'], ['p99', 'p99']]) {
      look(`slowdown by size has bars as high as ${name} of ${label}`, {}, async (page) => {
        await page.locator('#slowdown select').nth(0).selectOption({ label });
        await page.locator('#slowdown select').nth(1).selectOption({ label: name });
        const chart = figure(page, 'Slowdown by flow size');
        assert.match(await chart.locator('h3').textContent(), new RegExp(`${name}, ${label}$`));
        const bars = await barsOf(chart);
        const { sizeBins } = await dataOf(page);
        let scale;
        for (const run of runs) {
          const values = sizeBins.map((size) => results[run].figure(group, `slowdown.${statistic}`, size)).filter((value) => !Number.isNaN(value));
          const drawn = bars.filter(({ fill }) => fill === colors[run]);
          assert.ok(values.length >= 1);
          assert.equal(drawn.length, values.length, `${run}: a bar for each size that has flows`);
          for (const [i, value] of values.entries()) {
            // A logarithmic axis from 1: without any slowdown the bar has no height, and is drawn as 1.
            if (value < 1.2) continue;
            const unit = drawn[i].height / Math.log10(value);
            scale ??= unit;
            assert.ok(Math.abs(unit - scale) * Math.log10(value) < 1.5, `${run} ${i}: ${drawn[i].height} px for ${value}`);
          }
        }
        assert.ok(scale > 20);
      });
    }
  }

  look('slowdown by label is that of the labels in the files', {}, async (page) => {
    const chart = figure(page, 'Slowdown by label');
    await page.locator('#slowdown select').nth(1).selectOption({ label: 'p99' });
    const labels = ['plain', 'incast'];
    const bars = await barsOf(chart);
    let scale;
    for (const run of runs) {
      const drawn = bars.filter(({ fill }) => fill === colors[run]);
      assert.equal(drawn.length, labels.length);
      for (const [i, label] of labels.entries()) {
        const value = results[run].figure(`label ${label}`, 'slowdown.p99');
        const unit = drawn[i].height / Math.log10(value);
        scale ??= unit;
        assert.ok(Math.abs(unit - scale) * Math.log10(value) < 1.5, `${run} ${label}: ${drawn[i].height} px for ${value}`);
      }
    }
  });

  look('the data behind a chart are a table', {}, async (page) => {
    const chart = figure(page, 'Slowdown by flow size');
    await chart.getByRole('button', { name: /^Data/ }).click();
    const { sizeBins } = await dataOf(page);
    for (const run of runs) {
      for (const size of sizeBins) {
        const value = results[run].figure('not incast', 'slowdown.p99', size);
        if (Number.isNaN(value)) continue;
        const row = chart.locator('tr', { has: page.locator('th', { hasText: new RegExp(`^${size.replace(/[<>]/g, '.')}, ${run}$`) }) });
        assertShows(await row.locator('td').nth(4).textContent(), value, `${size}, ${run}`);
      }
    }
  });

  look('throughput over time goes through the run’s samples', {}, async (page) => {
    await page.locator('#throughput select').first().selectOption({ label: 'payload of incast flows' });
    for (const run of runs) {
      const values = results[run]
        .read('series.csv')
        .filter(({ series }) => series === 'throughput.incast')
        .map(({ value }) => Number(value));
      const line = await page.locator('#throughput svg path').evaluateAll(
        (paths, color) =>
          paths
            .filter((path) => path.getAttribute('stroke') === color && path.getAttribute('fill') === 'none')
            .map((path) => path.getAttribute('d'))
            .sort((a, b) => b.length - a.length)[0],
        colors[run],
      );
      const points = [...line.matchAll(/(-?[\d.]+)[ ,](-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
      assert.equal(points.length, values.length);
      const floor = Math.max(...points.map(({ y }) => y));
      const most = Math.max(...values);
      const unit = (floor - Math.min(...points.map(({ y }) => y))) / most;
      values.forEach((value, i) => assert.ok(Math.abs(floor - (points[i]?.y ?? 0) - value * unit) < 1, `${run}: sample ${i}`));
      assert.ok(points.every(({ x }, i) => i === 0 || x > (points[i - 1]?.x ?? 0)));
    }
  });

  look('buffers, pauses and drops are those of the run', {}, async (page) => {
    const buffers = figure(page, 'Buffer used: maximum');
    const bars = await barsOf(buffers);
    const unit = [];
    for (const run of runs) {
      const drawn = bars.filter(({ fill }) => fill === colors[run]);
      const values = ['ToR', 'core'].map((tier) => results[run].figure(tier, 'buffer_maximum'));
      assert.equal(drawn.length, 2);
      values.forEach((value, i) => unit.push(drawn[i].height / value));
    }
    assert.ok(Math.max(...unit) / Math.min(...unit) < 1.02, `bytes a pixel: ${unit}`);
    const drops = figure(page, 'Frames dropped');
    await drops.getByRole('button', { name: /^Data/ }).click();
    for (const [i, run] of runs.entries()) {
      const sum = results[run].summary.filter(({ of, quantity }) => of === 'run' && quantity.startsWith('dropped.')).reduce((all, { value }) => all + Number(value), 0);
      assert.equal(read(await drops.locator('tbody tr').nth(i).locator('td').first().textContent()), sum);
    }
    const paused = await figure(page, 'Time for which links were paused').locator('h3').count();
    assert.equal(paused, 1);
  });

  look('each can be saved as an SVG file', {}, async (page) => {
    const figures = page.locator('figure:has(.chart:visible)');
    const many = await figures.count();
    assert.ok(many >= 8, `${many} charts`);
    for (let i = 0; i < many; ++i) {
      // After ten files Chromium asks the user whether a page may save more; there is no user here.
      if (i % 8 === 7) await page.reload();
      const title = await figures.nth(i).locator('h3').textContent();
      const { name, text } = await saved(page, figures.nth(i).getByRole('button', { name: /as SVG$/ }));
      assert.match(name, /^[a-z0-9_]+\.svg$/);
      await assertPicture(page, text, title);
      for (const run of runs) assert.ok(text.includes(run) || title === 'Frames dropped by switches, by reason', `${title} names ${run}`);
    }
  });
});

/** Expects an SVG file that a program can parse and draw, with this text in it. */
async function assertPicture(page, svg, title) {
  const seen = await page.evaluate(async (source) => {
    const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
    await image.decode();
    return { error: parsed.querySelector('parsererror')?.textContent, text: parsed.documentElement.textContent, width: image.naturalWidth };
  }, svg);
  assert.equal(seen.error, undefined);
  assert.ok(seen.text.includes(title), `"${title}" in ${seen.text.slice(0, 200)}`);
  assert.ok(seen.width > 100);
  assert.ok(!/(href|src)="(?!#|data:)/.test(svg), 'it needs nothing else');
}

/** Rows of a timeline as stored in the page: one value per link and interval. */
function unpack(rows, links, intervals) {
  const bytes = Buffer.from(rows.values, 'base64');
  const out = Array.from({ length: links }, () => new Array(intervals).fill(0));
  rows.links.forEach((link, row) => {
    for (let i = 0; i < intervals; ++i) out[link][i] = bytes[row * intervals + i];
  });
  return out;
}

async function timelineOf(page, run) {
  const data = await dataOf(page);
  const number = data.runs.findIndex(({ label }) => label === run);
  const { timeline, network, simulatedUs } = data.runs[number];
  const { links, nodes } = data.networks[network];
  const of = (rows) => unpack(rows, links.length, timeline.intervals);
  return { ...timeline, simulatedUs, names: links.map(([a, b]) => [nodes[a][0], nodes[b][0]]), rates: links.map(([, , rate]) => rate), load: of(timeline.load), queued: of(timeline.queued), paused: of(timeline.paused) };
}

const slider = (page) => page.locator('#network input[type=range]');

/** The content of the canvas: a fingerprint, and the number of pixels in the colours of pauses and queues. */
function canvasOf(page) {
  return page.locator('#network canvas').evaluate((canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let print = 0;
    let pause = 0;
    let queue = 0;
    for (let i = 0; i < data.length; i += 4) {
      print = (Math.imul(print, 31) + data[i] + 7 * data[i + 1] + 13 * data[i + 2] + 17 * data[i + 3]) | 0;
      if (data[i + 3] > 200 && data[i] > 180 && data[i + 1] < 90 && data[i + 2] < 120) ++pause;
      if (data[i + 3] > 180 && data[i] > 220 && data[i + 1] > 110 && data[i + 1] < 160 && data[i + 2] < 40) ++queue;
    }
    return { print, pause, queue };
  });
}

async function seek(page, interval) {
  await slider(page).evaluate((input, value) => {
    input.value = String(value);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }, interval);
}

const sum = (values) => values.reduce((a, b) => a + b, 0);

describe('the network in time', () => {
  look('has the bytes of every link that the run counted', {}, async (page) => {
    for (const run of runs) {
      const timeline = await timelineOf(page, run);
      const counted = results[run].read('links.csv');
      assert.equal(counted.length, timeline.names.length);
      counted.forEach((link, i) => {
        assert.deepEqual(timeline.names[i], [link.from, link.to]);
        const full = (timeline.rates[i] * 1e3 * timeline.intervalUs) / 8;
        const last = timeline.simulatedUs / timeline.intervalUs - (timeline.intervals - 1);
        const carried = sum(timeline.load[i].map((code, at) => (code / 255) * full * (at === timeline.intervals - 1 ? last : 1)));
        // A code has an error of up to half of itself; the smallest may represent almost zero.
        const slack = (timeline.load[i].filter((code) => code > 0).length * full) / 255;
        assert.ok(Math.abs(carried - Number(link.bytes)) <= slack, `${link.from} to ${link.to}: ${carried} for ${link.bytes}`);
      });
      const paused = sum(timeline.paused.map((row, i) => (row.some((code) => code > 0) === Number(counted[i].pauses) > 0 ? 0 : 1)));
      assert.equal(paused, 0, 'links are paused where the run says so');
    }
  });

  look('shows pauses and queues when they are, and none when they are not', {}, async (page) => {
    const timeline = await timelineOf(page, 'pfc');
    const pausesAt = (i) => timeline.paused.filter((row) => row[i] > 0).length;
    const queuesAt = (i) => timeline.queued.filter((row) => row[i] > 0).length;
    const intervals = [...Array(timeline.intervals).keys()];
    const most = intervals.reduce((best, i) => (pausesAt(i) > pausesAt(best) ? i : best), 0);
    const calm = intervals.find((i) => pausesAt(i) === 0 && queuesAt(i) === 0);
    assert.ok(pausesAt(most) >= 3 && calm !== undefined);

    const opened = await canvasOf(page);
    await seek(page, calm);
    const before = await canvasOf(page);
    await seek(page, most);
    const full = await canvasOf(page);
    assert.notEqual(before.print, full.print);
    assert.deepEqual([before.pause, before.queue], [0, 0]);
    assert.ok(full.pause > 100 && full.queue > 20, JSON.stringify(full));
    assert.ok(opened.pause > full.pause / 2, 'it opens where there is something to see');
    assert.match(await page.locator('#network .figures').textContent(), new RegExp(`· ${pausesAt(most)} links? paused`));
    await screenshot(page, 'network', false);

    for (const interval of [most, calm]) {
      await seek(page, interval);
      const { text } = await saved(page, page.getByRole('button', { name: 'Save the network as SVG' }));
      await assertPicture(page, text, 'Tiny incast: pfc at');
      assert.equal((text.match(/<polygon/g) ?? []).length, pausesAt(interval), 'an arrow for each pause');
      assert.equal((text.match(/<circle/g) ?? []).length, queuesAt(interval), 'a circle for each queue');
      assert.ok(text.includes('>tor0<') && text.includes('>spine1<'));
    }
  });

  look('arrows lead from who pauses to who is paused', {}, async (page) => {
    const timeline = await timelineOf(page, 'pfc');
    // A moment at which all pauses come from switches below: arrows point up, and those of hosts down.
    const { text } = await saved(page, page.getByRole('button', { name: 'Save the network as SVG' }));
    const yOf = (name) => Number(text.match(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`))[1]);
    const at = Number(await slider(page).inputValue());
    const up = timeline.names.filter(([from, to], i) => timeline.paused[i][at] > 0 && from.startsWith('spine') && to.startsWith('tor')).length;
    const down = timeline.names.filter(([from], i) => timeline.paused[i][at] > 0 && !from.startsWith('spine')).length;
    const tips = [...text.matchAll(/<polygon points="[\d.]+ ([\d.]+) [\d.]+ ([\d.]+)/g)].map(([, tip, neck]) => Number(tip) - Number(neck));
    assert.ok(yOf('spine0') < yOf('tor0'));
    assert.equal(tips.filter((step) => step < 0).length, up, 'upwards: a ToR pauses a spine');
    assert.equal(tips.filter((step) => step > 0).length, down, 'downwards: a spine pauses a ToR, a ToR pauses a host');
    assert.ok(up > 0);
  });

  look('moves by keys and plays', {}, async (page) => {
    await seek(page, 3);
    await slider(page).focus();
    const before = await canvasOf(page);
    const text = await slider(page).getAttribute('aria-valuetext');
    for (let i = 0; i < 12; ++i) await page.keyboard.press('ArrowRight');
    assert.equal(await slider(page).inputValue(), '15');
    assert.notEqual(await slider(page).getAttribute('aria-valuetext'), text);
    assert.notEqual((await canvasOf(page)).print, before.print);
    await page.getByRole('button', { name: /Play/ }).click();
    await page.waitForFunction(() => Number(document.querySelector('#network input[type=range]').value) > 16);
    await page.getByRole('button', { name: /Pause/ }).click();
    const stopped = await slider(page).inputValue();
    await page.waitForTimeout(200);
    assert.equal(await slider(page).inputValue(), stopped);
  });

  look('tells what one points at', {}, async (page) => {
    const tips = await page.locator('#network canvas').evaluate((canvas) => {
      const tip = document.querySelector('#network .tip');
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const seen = new Map();
      for (let y = 2; y < height; y += 4) {
        for (let x = 2; x < width; x += 4) {
          canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: left + x, clientY: top + y }));
          if (tip.hidden) continue;
          const box = tip.getBoundingClientRect();
          const name = tip.querySelector('b').textContent;
          seen.set(name, { inside: (seen.get(name)?.inside ?? true) && box.left >= 0 && box.right <= innerWidth, text: tip.textContent });
        }
      }
      return [...seen];
    });
    const seen = new Map(tips);
    for (const [name, { inside }] of tips) assert.ok(inside, `${name}: stays on the page`);
    const timeline = await timelineOf(page, 'pfc');
    const at = Number(await slider(page).inputValue());
    // For hosts, the outgoing direction is listed first, then the incoming one.
    const link = timeline.names.findIndex(([from, to]) => from === 'h0' && to === 'tor0');
    assert.match(seen.get('h0 → tor0').text, new RegExp(`^h0 → tor0 .* of 100 Gbit/s`));
    assertShows(seen.get('h0 → tor0').text.match(/^h0 → tor0 ([\d.]+) %/)[1], (timeline.load[link][at] / 255) * 100, 'load');
    assert.match(seen.get('h0 → tor0').text, /tor0 → h0 .* queued/);
    for (const name of ['tor0', 'tor2', 'spine1', 'h0 → tor0', 'tor0 → h0', 'h11 → tor2', 'spine0 → tor0', 'tor2 → spine1']) {
      assert.ok(seen.has(name), `${name} in ${[...seen.keys()]}`);
    }
  });

  look('stands beside another run', {}, async (page) => {
    await page.locator('#network select').nth(1).selectOption({ label: 'lossy' });
    assert.deepEqual(await page.locator('#network h4').allTextContents(), runs);
    assert.match(await page.locator('#network .figures').nth(1).textContent(), /no pauses in this run/);
    await page.locator('#network select').nth(0).selectOption({ label: 'lossy' });
    assert.equal((await page.locator('#network canvas').first().evaluate((canvas) => canvas.toDataURL())).length > 1000, true);
    assert.equal(await page.locator('#network h4').first().textContent(), 'lossy');
  });
});

describe('cycles of buffers', () => {
  const circle = { file: process.env.CIRCLE };
  const ring = ['s0 → s1', 's1 → s2', 's2 → s3', 's3 → s4', 's4 → s0', 's0 → s1'];

  look('a deadlock names the ports that wait for each other', circle, async (page) => {
    const box = page.locator('.finding.warning');
    assert.equal(await box.count(), 1);
    assert.equal(await box.locator('h3').textContent(), 'Deadlock');
    assert.match(await box.locator('p').first().textContent(), /^stuck failed at .*: 5 ports are blocked forever\. A cycle of them:$/);
    assert.deepEqual(await box.locator('.circle code').allTextContents(), ring.map((port) => `${port} (priority 3)`));
    assert.equal(await page.locator('.warning').count(), 1, 'and nothing says it again');
    assert.deepEqual(await page.locator('table.overview .mark').allTextContents(), ['FAILED']);
    await screenshot(page, 'circle');
  });

  look('a cyclic buffer dependency is told once for the runs that have it', circle, async (page) => {
    const box = page.locator('.finding.cycle');
    assert.equal(await box.count(), 1);
    assert.equal(await box.locator('h3').textContent(), 'Cyclic buffer dependency');
    assert.match(await box.locator('p').first().textContent(), /^stuck, easy: weir check found that, without s0 - s1, /);
    assert.deepEqual(await box.locator('.circle code').allTextContents(), ring);
    assert.match(await box.locator('.note').textContent(), /10 link directions lie on such cycles/);
  });

  look('the network marks their links', circle, async (page) => {
    const chosen = page.locator('#network select').first();
    const marks = async (run) => {
      await chosen.selectOption({ label: run });
      const { text } = await saved(page, page.getByRole('button', { name: 'Save the network as SVG' }));
      return [text.includes('stroke="#7c4ddb" stroke-width="10"'), text.includes('stroke="#d1123f" stroke-width="6"')];
    };
    assert.deepEqual(await marks('stuck'), [true, true]);
    assert.deepEqual(await marks('easy'), [true, false]);
    assert.deepEqual(await marks('lossy'), [false, false]);
    assert.match(await page.locator('.legend').textContent(), /deadlocked: each waits for the next/);
  });

  look('there are none where no run has any', {}, async (page) => {
    assert.equal(await page.locator('.finding').count(), 0);
    assert.doesNotMatch(await page.locator('.legend').textContent(), /cyclic/);
  });

  look('fit a phone in the dark', { ...circle, viewport: phone, colorScheme: 'dark' }, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await screenshot(page, 'circle_phone_dark');
  });
});

describe('any reader', () => {
  look('on a phone need not scroll sideways', { viewport: phone }, async (page) => {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(over, 0);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('main *')]
        .filter((at) => !at.closest('.scroll, pre, svg') && at.getBoundingClientRect().right > window.innerWidth + 0.5)
        .map((at) => `${at.tagName}.${at.className}`),
    );
    assert.deepEqual(wide, []);
    await screenshot(page, 'phone');
    await screenshot(page, 'phone_first', false);
  });

  look('in the dark has dark pages and charts', { colorScheme: 'dark' }, async (page) => {
    const brightness = (color) => sum(color.match(/\d+/g).slice(0, 3).map(Number)) / 3;
    const colorsOf = await page.evaluate(() => {
      const { color, backgroundColor } = getComputedStyle(document.body);
      return { color, backgroundColor };
    });
    assert.ok(brightness(colorsOf.backgroundColor) < 40 && brightness(colorsOf.color) > 200);
    const bars = await barsOf(figure(page, 'Slowdown by flow size'));
    assert.ok(bars.some(({ fill }) => fill === '#377bc6'));
    await screenshot(page, 'dark');
  });

  look('may change to the dark and back', {}, async (page) => {
    for (const [colorScheme, color] of [['dark', '#377bc6'], ['light', colors.pfc]]) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`#slowdown svg path[fill="${color}"]`).first().waitFor({ state: 'attached', timeout: 5000 });
      const bars = await barsOf(figure(page, 'Slowdown by flow size'));
      assert.ok(bars.some(({ fill }) => fill === color));
    }
  });

  look('finds a name for everything', {}, async (page) => {
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, input, canvas, [role=img], [role=region]')]
        .filter((at) => !(at.getAttribute('aria-label') || at.textContent.trim() || at.closest('label')))
        .map((at) => at.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(nameless, []);
    const sections = await page.locator('section > h2').count();
    assert.equal(sections, 9);
    for (const href of await page.locator('nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))) {
      assert.equal(await page.locator(href).count(), 1, href);
    }
  });

  const changed = (name, change) => changedReport(file, name, change);

  test('sees what is not whole', async () => {
    const other = changed('broken', (data) => {
      data.runs[0].failure = 'a pause never ended';
      data.runs[1].interrupted = true;
      data.missing = ['third (seed 1)'];
    });
    const { page, faults, close } = await open(browser, other);
    const warnings = await page.locator('.warning').allTextContents();
    assert.match(warnings[0], /^pfc failed at .*: a pause never ended\. The results until then are shown\.$/);
    assert.match(warnings[1], /^lossy was interrupted at .*\./);
    assert.match(warnings[2], /^Not run yet and therefore not shown: third \(seed 1\)\.$/);
    assert.deepEqual(await page.locator('table.overview .mark').allTextContents(), ['FAILED', 'INTERRUPTED']);
    const legend = await figure(page, 'Slowdown by flow size').locator('svg').textContent();
    assert.ok(legend.includes('pfc (FAILED)') && legend.includes('lossy (INTERRUPTED)'));
    assert.deepEqual(faults, []);
    await close();
  });

  test('sees what weir check said', async () => {
    const other = changed('remarks', (data) => {
      const warning = { kind: 'warning', text: 'nothing slows it down', failed: '', ports: [] };
      for (const run of data.runs) run.findings = [warning];
      data.runs[0].findings.push({ kind: 'note', text: 'a small <b>window</b>', failed: '', ports: [] });
    });
    const { page, faults, close } = await open(browser, other);
    assert.deepEqual(await page.locator('#runs .remarks li').allTextContents(), ['all runs: warning: nothing slows it down', 'pfc: a small <b>window</b>']);
    assert.equal(await page.locator('.finding').count(), 0);
    assert.deepEqual(faults, []);
    await close();
  });

  test('names what lossless priorities lost', async () => {
    const other = changed('drops', (data) => {
      for (const run of data.runs) run.findings = [];
      const text = 'switches dropped 3 frames of lossless priorities for lack of buffer: 3 of priority 3 at tor0 from h1';
      data.runs[0].findings.push({ kind: 'drops of a lossless priority', text, failed: '', ports: [{ link: 0, what: 'priority 3: 3' }] });
    });
    const { page, faults, close } = await open(browser, other);
    assert.equal(await page.locator('.finding.warning').count(), 1);
    assert.match(await page.locator('.finding.warning p').textContent(), /^pfc: switches dropped 3 frames of lossless priorities .* at tor0 from h1\.$/);
    assert.doesNotMatch(await page.locator('.legend').textContent(), /each waits for the next/);
    assert.deepEqual(faults, []);
    await close();
  });

  test('may call a run anything', async () => {
    const name = '<img src=x onerror="fail()"> & "so"';
    const other = changed('names', (data) => (data.runs[0].label = name));
    const { page, faults, close } = await open(browser, other);
    assert.equal(await page.locator('table.overview tbody th').first().textContent(), name);
    assert.equal(await page.locator('img[src=x], img[onerror]').count(), 0);
    const { text } = await saved(page, page.getByRole('button', { name: 'Save the network as SVG' }));
    await assertPicture(page, text, name);
    const slowdown = figure(page, 'Slowdown by flow size');
    await assertPicture(page, (await saved(page, slowdown.getByRole('button', { name: /as SVG$/ }))).text, name);
    await slowdown.locator('.chart').hover();
    await page.waitForTimeout(200);
    assert.ok((await slowdown.locator('.chart').textContent()).includes(name));
    // The pictures of the campaign are images, too.
    assert.equal(await page.locator('img:not(.pictures img)').count(), 0, 'nor in a tooltip');
    assert.deepEqual(faults, []);
    await close();
  });

  test('may have runs without timelines, and no runs', async () => {
    const bare = changed('bare', (data) => data.runs.forEach((run) => (run.timeline = null)));
    const first = await open(browser, bare);
    assert.match(await first.page.locator('#network').textContent(), /No run recorded a timeline/);
    assert.deepEqual(first.faults, []);
    await first.close();
    const empty = changed('empty', (data) => (data.runs = []));
    const second = await open(browser, empty);
    assert.match(await second.page.locator('main').textContent(), /There are no runs to report on/);
    assert.deepEqual(second.faults, []);
    await second.close();
  });
});
