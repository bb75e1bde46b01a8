// SPDX-License-Identifier: Apache-2.0
// Aids to reading and choosing: which variant is best and why, distinguishable lines, networks of any shape and size,
// addresses that store choices. Real data if a small run provides them, otherwise generated data.
//
// PAGE, RESULTS, SCREENSHOTS: see report.test.mjs; HELLO: the report of scenarios/hello_incast.toml.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { changedReport, dataOf, figure, launch, open, phone, saved, screenshot } from './browser.mjs';
import { fullMesh, leafSpine, line, mesh, putNetwork, putRuns, putSweep, ring } from './made_up.mjs';
import { readCsv } from './results.mjs';

const file = process.env.PAGE;

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

function look(name, options, examine) {
  test(name, async () => {
    const from = options.data ? changedReport(file, options.data[0], options.data[1]) : (options.file ?? file);
    const opened = await open(browser, from, options);
    try {
      await examine(opened.page, from);
      assert.deepEqual(opened.faults, []);
    } finally {
      await opened.close();
    }
  });
}

/** The content of a chart's tooltip, by name, with the pointer at this share of the chart's width. */
async function tip(page, chart, share) {
  await chart.locator('.chart').scrollIntoViewIfNeeded();
  const box = await chart.locator('.chart').boundingBox();
  await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.45);
  await page.mouse.move(box.x + box.width * share + 1, box.y + box.height * 0.45);
  await chart.locator('.tip-lines').waitFor({ state: 'visible', timeout: 5000 });
  await page.waitForTimeout(60);
  return chart.locator('.tip-lines').evaluate((tipLines) => ({
    head: tipLines.querySelector('.tip-head').textContent,
    lines: [...tipLines.querySelectorAll('.tip-line')].map((at) => [at.querySelector('span').textContent, at.querySelector('b').textContent]),
  }));
}

async function addressOf(page) {
  await page.waitForTimeout(350);
  return page.evaluate(() => location.hash);
}

describe('the tooltip of a time chart', () => {
  const intervals = [7, 10, 13, 50];
  const data = [
    'intervals',
    (report) =>
      putRuns(report, 4, (run, i) => {
        run.simulatedUs = i === 3 ? 300 : 1000;
        run.timeline.series.intervalUs = intervals[i];
        const many = Math.ceil(run.simulatedUs / intervals[i]);
        // The value identifies the interval: i, then its number.
        run.timeline.series.delivered = [...Array(many).keys()].map((at) => ((i + 1) * 1000 + at) * 1e9);
        run.timeline.series.queues = run.timeline.series.queues.map(({ tier }) => ({ tier, total: new Array(many).fill((i + 1) * 1e6), fullest: new Array(many).fill((i + 1) * 1e5) }));
        run.timeline.series.pauses = [{ pausedTier: 1, pausingTier: 2, held: new Array(many).fill(i + 1) }];
      }),
  ];

  look('shows every run, whatever its interval', { data }, async (page) => {
    for (const [title, value] of [['Queues over time', (i) => `${(i + 1) * 100} KB`], ['Links paused over time', (i) => `${i + 1}.00`]]) {
      const chart = figure(page, title);
      await chart.scrollIntoViewIfNeeded();
      for (const share of [0.1, 0.23, 0.5, 0.77, 0.9]) {
        const { lines } = await tip(page, chart, share);
        assert.deepEqual(lines.map(([name]) => name), ['variant 0', 'variant 1', 'variant 2', 'variant 3'], title);
        for (let i = 0; i < 3; ++i) assert.equal(lines[i][1].replace(/\u202f/g, ' '), value(i), `${title} at ${share}`);
      }
      const late = await tip(page, chart, 0.9);
      assert.match(late.lines[3][1], /^ended at 300/);
    }
  });

  look('tells the value of the interval that one points at', { data }, async (page) => {
    const chart = figure(page, 'Throughput over time');
    await chart.scrollIntoViewIfNeeded();
    for (const share of [0.12, 0.35, 0.6, 0.85]) {
      const { head, lines } = await tip(page, chart, share);
      const us = Number(head.match(/[\d.]+/)[0]) * (head.includes('ms') ? 1000 : 1);
      for (let i = 0; i < 3; ++i) {
        // Three digits of "2.04 Tbit/s" distinguish intervals that are ten apart.
        const shown = Number(lines[i][1].match(/[\d.]+/)[0]) * 1000;
        assert.ok(Math.abs(shown - ((i + 1) * 1000 + Math.floor(us / intervals[i]))) <= 11, `${head}: ${lines[i]}`);
      }
    }
  });

  look('shows every run in small plots, too', { data, hash: '#throughput.plots=each%20in%20its%20own' }, async (page) => {
    const chart = figure(page, 'Throughput over time');
    await chart.scrollIntoViewIfNeeded();
    assert.equal((await tip(page, chart, 0.3)).lines.length, 4);
  });
});

describe('axes', () => {
  const names = {
    'Slowdown by flow size': ['slowdown', 'flow size'],
    'Slowdown, all sizes': ['fraction of flows', 'slowdown'],
    'Slowdown by label': ['slowdown', 'label'],
    'Slowdown by cause': ['run', 'slowdown'],
    'Buffer used: maximum': ['buffer use of a switch', 'tier of switches'],
    'Buffer used: distribution': ['fraction of samples', 'buffer use of a switch'],
    'Queues over time': ['bytes queued', 'time, ms'],
    'Time for which links were paused': ['fraction of time', 'pausing and paused tier'],
    'Innocent pause': ['fraction of pause time', 'flows'],
    'Links paused over time': ['links paused', 'time, ms'],
    'Throughput over time': ['throughput', 'time, ms'],
    'Frames dropped': ['frames', 'run'],
    'Retransmitted fraction of data frames': ['fraction of data frames', 'run'],
  };

  look('all have names', {}, async (page) => {
    const titles = await page.locator('figure:has(.chart:visible) h3').allTextContents();
    for (const title of titles) {
      const key = Object.keys(names).find((start) => title.startsWith(start));
      assert.ok(key, `${title}: a chart that this test does not know`);
      const texts = await figure(page, title.replace(/[()*+?.]/g, '\\$&')).locator('svg text').allTextContents();
      for (const name of names[key]) assert.ok(texts.includes(name), `${title}: "${name}" in ${texts}`);
    }
    assert.equal(titles.length, Object.keys(names).length);
  });

  look('have names in saved files', {}, async (page) => {
    for (const title of ['Queues over time', 'Slowdown by flow size']) {
      const { text } = await saved(page, figure(page, title).getByRole('button', { name: /as SVG$/ }));
      for (const name of names[title]) assert.ok(text.includes(`>${name}<`), `${title}: ${name}`);
    }
  });
});

/** The number of pixels near each run's colour in a picture of an element. */
async function pixelsOf(page, locator, colors) {
  const png = (await locator.screenshot()).toString('base64');
  return page.evaluate(
    async ([source, wanted]) => {
      const image = new Image();
      // A bitmap needs no request; the page would reject one.
      image.src = `data:image/png;base64,${source}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      return wanted.map((color) => {
        const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
        let many = 0;
        for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 40) ++many;
        return many;
      });
    },
    [png, colors],
  );
}

/** The colours of runs, from their lines in the chips. */
function colorsOf(page) {
  return page.locator('.chip .swatch line').evaluateAll((lines) => lines.map((at) => at.getAttribute('stroke')));
}

// Machado, Oliveira and Fernandes 2009, severity 1, for linear RGB.
const seenBy = {
  'a reader who sees all colours': [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

function linear(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
}

function lab([r, g, b]) {
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089].map(f);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const luminance = (color) => linear(color).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);

describe('runs that lie on each other', () => {
  const same = ['same', (report) => putRuns(report, 4)];

  for (const colorScheme of ['light', 'dark']) {
    look(`are all seen where their lines are the same, ${colorScheme}`, { data: same, colorScheme }, async (page) => {
      const colors = await colorsOf(page);
      assert.equal(new Set(colors).size, 4);
      for (const title of ['Queues over time', 'Slowdown, all sizes']) {
        const chart = figure(page, title);
        await chart.scrollIntoViewIfNeeded();
        const dashes = await chart.locator('svg path').evaluateAll((paths, wanted) => wanted.map((color) => paths.find((at) => at.getAttribute('stroke') === color && at.getAttribute('fill') === 'none')?.getAttribute('stroke-dasharray') ?? ''), colors);
        assert.equal(new Set(dashes).size, 4, `${title}: a pattern each: ${dashes}`);
        // Without the legend.
        await page.addStyleTag({ content: '.selection { position: static !important; }' });
        const seen = await pixelsOf(page, chart.locator('.chart'), colors);
        for (const [i, many] of seen.entries()) assert.ok(many > 70, `${title}, variant ${i}: ${seen}`);
      }
      await screenshot(page, `same_${colorScheme}`);
    });
  }

  look('have hatchings where they are bars', { data: same }, async (page) => {
    const patterns = await figure(page, 'Buffer used: maximum').locator('svg pattern').count();
    assert.ok(patterns >= 3, `${patterns} patterns`);
  });

  for (const colorScheme of ['light', 'dark']) {
    look(`have colours that all readers tell apart, ${colorScheme}`, { data: ['eight', (report) => putRuns(report, 8)], colorScheme }, async (page) => {
      const colors = await colorsOf(page);
      assert.equal(colors.length, 8);
      const background = luminance(colorScheme === 'dark' ? '#12161b' : '#ffffff');
      for (const color of colors) {
        const [low, high] = [background, luminance(color)].sort((a, b) => a - b);
        assert.ok((high + 0.05) / (low + 0.05) >= 3, `${color} on the page`);
      }
      for (const [reader, matrix] of Object.entries(seenBy)) {
        const seen = colors.map((color) => lab(matrix.map((row) => Math.max(0, Math.min(1, row.reduce((sum, m, i) => sum + m * linear(color)[i], 0))))));
        seen.forEach((a, i) => seen.slice(0, i).forEach((b, j) => assert.ok(Math.hypot(...a.map((at, k) => at - b[k])) >= 18, `${colors[i]} and ${colors[j]}, ${reader}`)));
      }
    });
  }

  look('can be hidden one by one', { data: same }, async (page) => {
    await page.locator('.chip', { hasText: 'variant 1' }).locator('input').uncheck();
    const legend = await figure(page, 'Queues over time').locator('svg').textContent();
    assert.ok(!legend.includes('variant 1') && legend.includes('variant 2'));
    assert.equal(await page.locator('table.overview tbody tr').count(), 3);
    assert.match(await page.locator('.selection output').textContent(), /3 runs of 4/);
    assert.match(await addressOf(page), /hide=variant/);
    await page.locator('.chip-row button', { hasText: 'All' }).click();
    assert.equal(await page.locator('table.overview tbody tr').count(), 4);
  });
});

/** The positions of names in the SVG file of the network. */
async function placesOf(page) {
  const { text } = await saved(page, page.getByRole('button', { name: 'Save the network as SVG' }));
  const places = new Map();
  for (const [, x, y, name] of text.matchAll(/<text x="([\d.-]+)" y="([\d.-]+)"[^>]*>([^<]*)</g)) places.set(name, { x: Number(x), y: Number(y) });
  return { text, places };
}

describe('the network', () => {
  look('draws a ring as a ring', { data: ['ring', (report) => putNetwork(report, ring(11))] }, async (page) => {
    const { places } = await placesOf(page);
    const at = [...Array(11).keys()].map((i) => places.get(`s${(i * 3) % 11}`));
    const middle = { x: at.reduce((sum, { x }) => sum + x, 0) / 11, y: at.reduce((sum, { y }) => sum + y, 0) / 11 };
    const far = at.map(({ x, y }) => Math.hypot(x - middle.x, y - middle.y));
    assert.ok(Math.max(...far) / Math.min(...far) < 1.05, 'all on one circle');
    const angles = at.map(({ x, y }) => Math.atan2(y - middle.y, x - middle.x));
    const steps = angles.map((angle, i) => Math.abs(((angles[(i + 1) % 11] - angle + 3 * Math.PI) % (2 * Math.PI)) - Math.PI));
    for (const step of steps) assert.ok(Math.abs(step - (2 * Math.PI) / 11) < 0.02, 'neighbours are neighbours');
    await screenshot(page, 'ring');
  });

  for (const wraps of [false, true]) {
    look(`draws a ${wraps ? 'torus' : 'mesh'} as rows and columns`, { data: [`mesh_${wraps}`, (report) => putNetwork(report, mesh(4, 5, wraps))] }, async (page) => {
      const { places } = await placesOf(page);
      const xs = [...new Set([...Array(20).keys()].map((i) => places.get(`s${i}`).x))].sort((a, b) => a - b);
      const ys = [...new Set([...Array(20).keys()].map((i) => places.get(`s${i}`).y))].sort((a, b) => a - b);
      assert.deepEqual([[xs.length, ys.length], [ys.length, xs.length]].some(([columns, rows]) => columns === 5 && rows === 4), true, `${xs.length} x ${ys.length}`);
      // Linked switches are adjacent, except around the edge.
      const { links, nodes } = (await dataOf(page)).networks[0];
      let near = 0;
      for (const [a, b] of links) {
        const [from, to] = [places.get(nodes[a][0]), places.get(nodes[b][0])];
        if (!from || !to || nodes[a][1] === 0 || nodes[b][1] === 0) continue;
        const apart = Math.abs(xs.indexOf(from.x) - xs.indexOf(to.x)) + Math.abs(ys.indexOf(from.y) - ys.indexOf(to.y));
        if (apart === 1) ++near;
      }
      assert.equal(near, 2 * (4 * 4 + 3 * 5));
      await screenshot(page, wraps ? 'torus' : 'mesh');
    });
  }

  look('draws a line in its order', { data: ['line', (report) => putNetwork(report, line(8))] }, async (page) => {
    const { places } = await placesOf(page);
    const xs = [...Array(8).keys()].map((i) => places.get(`s${(i * 3) % 8}`).x);
    assert.ok(xs.every((x, i) => i === 0 || x > xs[i - 1]) || xs.every((x, i) => i === 0 || x < xs[i - 1]), `${xs}`);
  });

  look('draws switches that are all linked on a circle', { data: ['full', (report) => putNetwork(report, fullMesh(6))] }, async (page) => {
    const { places } = await placesOf(page);
    assert.equal(new Set([...Array(6).keys()].map((i) => `${places.get(`s${i}`).y}`)).size > 2, true);
  });

  look('keeps tiers where there are some', {}, async (page) => {
    const { places } = await placesOf(page);
    assert.equal(places.get('tor0').y, places.get('tor2').y);
    assert.ok(places.get('spine0').y < places.get('tor0').y);
  });
});

describe('sixty-four racks', () => {
  const big = ['big', (report) => putNetwork(report, leafSpine(64, 8, 8))];

  look('have a number each, and none lies on another', { data: big }, async (page) => {
    const { places } = await placesOf(page);
    const xs = [...Array(64).keys()].map((i) => places.get(String(i))?.x);
    assert.ok(xs.every((x) => x !== undefined), 'every ToR is named');
    assert.ok(xs.every((x, i) => i === 0 || x - xs[i - 1] > 14), 'with room for two digits');
    await screenshot(page, 'racks');
  });

  look('can be filtered', { data: big }, async (page) => {
    await page.getByLabel('Show only these nodes').fill('tor3..tor5, tor60');
    const { text, places } = await placesOf(page);
    assert.deepEqual([...places.keys()].filter((name) => /^(tor\d+|\d+)$/.test(name)), ['tor3', 'tor4', 'tor5', 'tor60']);
    assert.ok(places.has('spine0') && places.has('spine7'), 'with all that is above');
    assert.ok(!text.includes('>tor6<'));
    assert.match(await addressOf(page), /show=tor3\.\.tor5,%20tor60/);
    await screenshot(page, 'racks_filtered', false);
    await page.getByLabel('Show only these nodes').fill('nobody');
    assert.match(await page.locator('.controls.view [role=status]').textContent(), /No node matches "nobody"/);
    assert.ok((await placesOf(page)).places.has('63'));
  });

  look('show the busiest at a click', { data: big }, async (page) => {
    await page.getByRole('button', { name: /longest queues/ }).click();
    const { places } = await placesOf(page);
    const shown = [...places.keys()].filter((name) => name.startsWith('tor'));
    assert.equal(shown.length, 8);
    assert.ok(shown.includes('tor0'), 'where the queue is');
  });

  look('can be zoomed and moved', { data: big }, async (page) => {
    const canvas = page.locator('#network canvas');
    await canvas.scrollIntoViewIfNeeded();
    const picture = () => canvas.evaluate((at) => at.toDataURL().length + at.toDataURL().slice(-300));
    const whole = await picture();
    for (let i = 0; i < 4; ++i) await page.getByRole('button', { name: 'Zoom in' }).click();
    const near = await picture();
    assert.notEqual(near, whole);
    await screenshot(page, 'racks_zoomed', false);
    assert.match(await page.locator('.controls.view [role=status]').textContent(), /drag to move/);
    const before = await addressOf(page);
    assert.match(before, /view=6\.5/);
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 600, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 100, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await picture(), near);
    assert.notEqual(await addressOf(page), before);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    // With Ctrl the wheel zooms; otherwise the page scrolls.
    const zoomOf = async () => Number((await addressOf(page)).match(/view=([\d.]+)/)?.[1] ?? 1);
    const zoom = await zoomOf();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    assert.ok((await zoomOf()) > zoom);
    await page.getByRole('button', { name: 'Show all of the network' }).click();
    assert.doesNotMatch(await addressOf(page), /view=/);
  });

  look('tell all of a node that is chosen', { data: big }, async (page) => {
    assert.equal(await page.locator('#network .details').isVisible(), false);
    await page.getByLabel('Select a node').fill('tor0');
    await page.getByLabel('Select a node').press('Enter');
    const rows = page.locator('#network .details tbody tr');
    assert.equal(await rows.count(), 16);
    assert.match(await rows.first().locator('th').textContent(), /^tor0 → h0$/);
    assert.match(await page.locator('.strip title').textContent(), /in tor0/);
    assert.match(await addressOf(page), /node=tor0/);
    const { text } = await placesOf(page);
    assert.ok(text.includes('stroke-opacity="0.16"'), 'what is not chosen fades');
    await screenshot(page, 'racks_chosen', false);
    await page.locator('#network canvas').focus();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#network .details').isVisible(), false);
  });

  look('are walked by keys', { data: big }, async (page) => {
    await page.locator('#network canvas').focus();
    const chosen = () => page.getByLabel('Select a node').inputValue();
    await page.keyboard.press('ArrowRight');
    assert.equal(await chosen(), 'spine0');
    await page.keyboard.press('ArrowRight');
    assert.equal(await chosen(), 'spine1');
    await page.keyboard.press('ArrowDown');
    assert.match(await chosen(), /^tor\d+$/);
    const tor = Number((await chosen()).slice(3));
    await page.keyboard.press('ArrowLeft');
    assert.equal(await chosen(), `tor${tor - 1}`);
    await page.keyboard.press('+');
    assert.match(await addressOf(page), /view=1\.5/);
    await page.keyboard.press('0');
    assert.doesNotMatch(await addressOf(page), /view=/);
  });

  look('are chosen by a click', { data: big }, async (page) => {
    const canvas = page.locator('#network canvas');
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    // The centre of the first spine is above that of the first eighth.
    await page.mouse.click(box.x + box.width / 16, box.y + 49);
    assert.equal(await page.getByLabel('Select a node').inputValue(), 'spine0');
    assert.match(await addressOf(page), /node=spine0/);
  });
});

describe('the address', () => {
  look('has time and selection, and gives them back', {}, async (page, from) => {
    await page.locator('#network select').nth(0).selectOption({ label: 'lossy' });
    await page.locator('#network select').nth(1).selectOption({ label: 'pfc' });
    const slider = page.locator('#network input[type=range]');
    await slider.focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowLeft');
    await page.locator('#slowdown select').nth(0).selectOption({ label: 'incast' });
    await page.locator('#slowdown select').nth(1).selectOption({ label: 'p50' });
    await page.locator('#throughput select').nth(0).selectOption({ label: 'payload of incast flows' });
    await page.getByLabel('Select a node').fill('tor1');
    await page.getByLabel('Select a node').press('Enter');
    const time = await slider.getAttribute('aria-valuetext');
    const hash = await addressOf(page);
    for (const part of ['t=', 'run=lossy', 'beside=pfc', 'flows=incast', 'statistic=p50', 'throughput=payload', 'node=tor1']) assert.ok(hash.includes(part), `${part} in ${hash}`);

    const again = await open(browser, from, { hash });
    assert.equal(await again.page.locator('#network input[type=range]').getAttribute('aria-valuetext'), time);
    assert.deepEqual(await again.page.locator('#network h4').allTextContents(), ['lossy', 'pfc']);
    assert.match(await figure(again.page, 'Slowdown by flow size').locator('h3').textContent(), /p50, incast$/);
    assert.match(await figure(again.page, 'Throughput over time').locator('h3').textContent(), /incast flows$/);
    assert.equal(await again.page.getByLabel('Select a node').inputValue(), 'tor1');
    assert.equal(await again.page.locator('#network .details').first().isVisible(), true);
    assert.deepEqual(again.faults, []);
    await again.close();
  });

  look('has nothing of what is as the page opens', {}, async (page) => {
    assert.equal(await addressOf(page), '');
    await page.locator('#slowdown select').nth(1).selectOption({ label: 'p50' });
    assert.match(await addressOf(page), /statistic=p50/);
    await page.locator('#slowdown select').nth(1).selectOption({ label: 'p99' });
    assert.ok(['', '#'].includes(await addressOf(page)));
  });

  look('keeps choices when one follows a link to a section', { hash: '#statistic=p50' }, async (page) => {
    await page.locator('nav a', { hasText: 'Pauses' }).click();
    const hash = await addressOf(page);
    assert.ok(hash.startsWith('#pauses&') && hash.includes('statistic=p50'), hash);
    assert.match(await figure(page, 'Slowdown by flow size').locator('h3').textContent(), /p50/);
    await page.waitForFunction(() => Math.abs(document.getElementById('pauses').getBoundingClientRect().y) < 200);
  });

  look('may be changed on an open page', {}, async (page) => {
    await page.evaluate(() => (location.hash = '#t=100&run=lossy'));
    await page.waitForTimeout(300);
    assert.equal(await page.locator('#network h4').first().textContent(), 'lossy');
    assert.match(await page.locator('#network output').textContent(), /^0\.10/);
  });

  look('may be wrong', { hash: '#t=soon&run=nobody&view=a,b&zoom=3&node=nobody&statistic=p12' }, async (page) => {
    assert.equal(await page.locator('#network h4').first().textContent(), 'pfc');
    assert.match(await figure(page, 'Slowdown by flow size').locator('h3').textContent(), /p99/);
  });

  look('has the zoom of charts over time, which all share', {}, async (page) => {
    const chart = figure(page, 'Queues over time').locator('.chart');
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    const lastMs = Math.max(...(await dataOf(page)).runs.map((run) => run.simulatedUs)) / 1000;
    // The handle at the right end of the slider below.
    await page.mouse.move(box.x + box.width - 19, box.y + box.height - 12);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 12, { steps: 5 });
    await page.mouse.up();
    const hash = await addressOf(page);
    const [, from, to] = hash.match(/zoom=([\d.]+),([\d.]+)/) ?? [];
    assert.ok(Number(from) < 0.01 && Number(to) > 0.4 * lastMs && Number(to) < 0.6 * lastMs, hash);
    for (const title of ['Queues over time', 'Links paused over time', 'Throughput over time']) {
      const ticks = (await figure(page, title).locator('svg text').allTextContents()).filter((text) => /^[\d.]+$/.test(text)).map(Number);
      assert.ok(!ticks.includes(Math.floor(lastMs * 10) / 10) && ticks.length > 0, `${title}: ${ticks}`);
    }
    const again = await open(browser, file, { hash });
    assert.equal((await addressOf(again.page)).match(/zoom=[^&]*/)[0], hash.match(/zoom=[^&]*/)[0]);
    await again.close();
  });
});

describe('wide tables', () => {
  look('show that they scroll', { viewport: phone }, async (page) => {
    const frames = page.locator('.scroll-frame:has(table.overview), #runs .scroll-frame');
    const many = await frames.count();
    assert.ok(many >= 3);
    for (let i = 0; i < many; ++i) {
      const frame = frames.nth(i);
      const region = frame.locator('.scroll');
      const size = await region.evaluate((at) => ({ bar: at.offsetHeight - at.clientHeight, hidden: at.scrollWidth - at.clientWidth }));
      if (size.hidden <= 1) continue;
      assert.ok(size.bar >= 8, `a bar that is always there: ${size.bar} px`);
      assert.match(await frame.getAttribute('class'), /more-right/);
      assert.equal(await frame.evaluate((at) => getComputedStyle(at, '::after').display), 'flex');
      await region.evaluate((at) => at.scrollTo(1e6, 0));
      await page.waitForTimeout(100);
      assert.doesNotMatch(await frame.getAttribute('class'), /more-right/);
      assert.match(await frame.getAttribute('class'), /more-left/);
      // By keys, too.
      await region.focus();
      await page.keyboard.press('ArrowLeft');
      await page.waitForTimeout(200);
      assert.match(await frame.getAttribute('class'), /more-right/);
    }
    await screenshot(page, 'wide_tables', false);
  });

  look('say nothing where all is seen', {}, async (page) => {
    assert.doesNotMatch(await page.locator('.scroll-frame:has(table.answer)').getAttribute('class'), /more-right/);
  });
});

describe('the first panel', () => {
  const row = (page, title) => page.locator('table.answer tr', { has: page.locator('th', { hasText: new RegExp(`^${title}$`) }) });

  look('stands first', {}, async (page) => {
    assert.equal(await page.locator('main section').first().getAttribute('id'), 'answer');
  });

  look('says who is best at what, and by how much', {}, async (page) => {
    const { runs } = await dataOf(page);
    const [pfc, lossy] = runs.map((run) => run.groups[1].slowdown.p99);
    assert.ok(pfc < lossy);
    const victims = row(page, 'Victims: p99 slowdown');
    assert.match(await victims.locator('td').nth(0).textContent(), new RegExp(`^pfc${pfc.toPrecision(3)}`));
    assert.match(await victims.locator('td').nth(1).textContent(), new RegExp(`^lossy${(lossy / pfc).toPrecision(3)} times that`));
    assert.match(await row(page, 'Frames dropped').locator('td').nth(0).textContent(), /^pfc0$/);
  });

  look('says at what cost', {}, async (page) => {
    const lines = await page.locator('.headline li').allTextContents();
    const pfc = lines.find((text) => text.startsWith('pfc'));
    assert.match(pfc, /is best in \d+ of \d+ quantities: .*p99 slowdown of victims/);
    assert.match(pfc, /What it costs: .*time paused .* \(lossy has none\)/);
    assert.match(lines.find((text) => text.startsWith('lossy')), /What it costs: drops .* \(pfc has none\)/);
  });

  look('says why, with the parts that were measured', {}, async (page) => {
    const rows = (run) => readCsv(join(process.env.RESULTS, run, 'slowdown_split.csv'));
    const of = (run, group) => rows(run).find((at) => at.class === group);
    const [good, bad] = [of('pfc', 'incast'), of('lossy', 'incast')];
    const why = await row(page, 'Incasts: mean slowdown').locator('td').nth(2).textContent();
    assert.match(why, /^on average, lossy has /);
    const more = ['queueing', 'pause', 'pacing', 'timeout'].map((part) => [part, Number(bad[part]) - Number(good[part])]).sort((a, b) => b[1] - a[1]);
    assert.match(why, new RegExp(`has ${more[0][0]} \\+`));
    const chart = figure(page, 'Slowdown by cause');
    await chart.getByRole('button', { name: /^Data/ }).click();
    for (const [i, run] of ['pfc', 'lossy'].entries()) {
      const split = of(run, 'not incast');
      const cells = (await chart.locator('tbody tr').nth(i).locator('td').allTextContents()).map((text) => (text === '<0.001' ? 0 : Number(text.replace(/\u202f/g, ''))));
      assert.equal(cells[0], Number(split.flows));
      for (const [at, part] of [[1, 'slowdown'], [3, 'queueing'], [4, 'pause'], [5, 'pacing'], [6, 'timeout']]) {
        assert.ok(Math.abs(cells[at] - Number(split[part])) <= 0.006 * Number(split[part]) + 0.001, `${run} ${part}: ${cells[at]} for ${split[part]}`);
      }
      const sum = 1 + ['queueing', 'pause', 'pacing', 'timeout'].reduce((all, part) => all + Number(split[part]), 0);
      assert.ok(Math.abs(sum - Number(split.slowdown)) < 1e-3 * sum, `${run}: the parts add up`);
    }
    assert.ok(Number(of('pfc', 'all').pause) > 0 && Number(of('lossy', 'all').pause) === 0);
    assert.ok(Number(of('lossy', 'all').timeout) > 0 && Number(of('pfc', 'all').timeout) === 0);
    await screenshot(page, 'answer', false);
  });

  look('says where nothing was measured', { data: ['unmeasured', (report) => report.runs.forEach((run) => delete run.statistics.slowdown_split)] }, async (page) => {
    assert.match(await row(page, 'Victims: p99 slowdown').locator('td').nth(2).textContent(), /not measured/);
    assert.equal(await figure(page, 'Slowdown by cause').count(), 0);
  });

  look('fits a phone', { viewport: phone }, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
    assert.ok(await row(page, 'Victims: p99 slowdown').isVisible());
    await screenshot(page, 'answer_phone', false);
  });
});

describe('a sweep of 140 runs', () => {
  const data = ['sweep', putSweep];

  look('has one line per variant, in small plots', { data }, async (page) => {
    const chart = figure(page, 'All quantities by load');
    const texts = await chart.locator('svg text').allTextContents();
    for (let i = 0; i < 7; ++i) assert.equal(texts.filter((text) => text === `scheme${i}`).length, 1, `scheme${i} once in the legend`);
    for (const title of ['victim slowdown p99', 'max buffer ToR (MB)', 'drops (frames)']) assert.ok(texts.includes(title), title);
    const colors = (await colorsOf(page)).slice(0, 7);
    assert.equal(new Set(colors).size, 7);
    for (const color of colors) {
      const lines = await chart.locator(`svg path[stroke="${color}"][fill="none"]`).count();
      assert.ok(lines >= 3, `${color}: ${lines}`);
    }
    await screenshot(page, 'sweep');
    assert.match(await page.locator('.facts').textContent(), /^140 runs, of which 24 are shown individually:/);
  });

  const tall = (report) => {
    putSweep(report);
    for (const name of ['avg', 'p99']) {
      report.quantities.push({ group: 'background slowdown', name, unit: '', title: `background slowdown ${name} of many flows` });
      for (const at of report.replicates) at.estimates.push(at.estimates[0]);
    }
  };

  look('has room between the name of an axis and the title of the plot below', { data: ['tall', tall] }, async (page) => {
    const texts = figure(page, 'All quantities by load').locator('svg text');
    const boxes = await texts.evaluateAll((all) => all.map((text) => ({ text: text.textContent, box: text.getBoundingClientRect().toJSON() })));
    const names = boxes.filter(({ text }) => text === 'load');
    const titles = boxes.filter(({ text }) => text.startsWith('background slowdown'));
    assert.deepEqual([names.length, titles.length], [5, 2]);
    assert.ok(titles[0].box.top > names[0].box.top, 'there is a second row');
    for (const { box: name } of names) for (const { text, box } of titles) assert.ok(name.bottom <= box.top || box.bottom <= name.top || name.right <= box.left, text);
  });

  look('draws intervals', { data }, async (page) => {
    const [color] = await colorsOf(page);
    // Three strokes per interval, four loads.
    const strokes = await figure(page, 'victim slowdown p99 by load').locator(`svg path[stroke="${color}"], svg line[stroke="${color}"], svg polyline[stroke="${color}"]`).count();
    assert.ok(strokes >= 12, `${strokes} strokes`);
    const { lines } = await tip(page, figure(page, 'victim slowdown p99 by load'), 0.5);
    assert.equal(lines.length, 7);
    for (const [, text] of lines) assert.match(text, /^[\d.]+ ± [\d.]+$/);
  });

  look('tells apart only what intervals tell apart', { data }, async (page) => {
    const best = await page.locator('table.answer tbody tr').first().locator('td').first().textContent();
    assert.match(best, /scheme0.* ± .*scheme1.* ± /);
    assert.equal(await page.locator('#answer .note', { hasText: '95 % confidence intervals' }).count(), 1);
    await page.locator('#answer select').first().selectOption({ label: '0.2' });
    assert.match(await addressOf(page), /at\.load=0\.2/);
    assert.match(await page.locator('table.answer tbody tr').first().locator('td').first().textContent(), /0\.6|1\.3/);
  });

  look('has a plot for each run over time, and hides variants', { data }, async (page) => {
    const chart = figure(page, 'Throughput over time');
    const titles = async () => (await chart.locator('svg text').allTextContents()).filter((text) => /^scheme\d, load/.test(text));
    assert.equal((await titles()).length, 24);
    await page.locator('.chip', { hasText: 'scheme3' }).locator('input').uncheck();
    assert.equal((await titles()).length, 20);
    const legend = await figure(page, 'All quantities by load').locator('svg text').allTextContents();
    assert.ok(!legend.includes('scheme3'));
    await page.locator('.chip', { hasText: '0.2' }).locator('input').uncheck();
    assert.equal((await titles()).length, 15);
  });

  look('has all points in a table', { data }, async (page) => {
    await page.locator('#sweep summary').click();
    assert.equal(await page.locator('#sweep details tbody tr').count(), 28);
    assert.match(await page.locator('#sweep details tbody tr').last().textContent(), /5 \(1 left out\)/);
  });

  look('fits a phone', { data, viewport: phone, colorScheme: 'dark' }, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
    await screenshot(page, 'sweep_phone_dark', false);
  });

  look('bars by size have intervals', { data }, async (page) => {
    const { text } = await saved(page, figure(page, 'Slowdown by flow size').getByRole('button', { name: /as SVG$/ }));
    assert.ok((text.match(/stroke-width="1\.3"/g) ?? []).length >= 24 * 3 || (text.match(/<path[^>]*stroke="#1b2430"/g) ?? []).length >= 24 * 3, 'three strokes each');
  });
});

describe('two seeds without a sweep', () => {
  const data = [
    'seeds',
    (report) => {
      putSweep(report);
      report.parameters = [];
      report.replicates = report.replicates.filter(({ point }) => point[0] === 0).map((at) => ({ ...at, point: [], label: at.variant }));
      report.runs = report.runs.slice(0, 7).map((run, i) => ({ ...run, replicate: i, label: report.replicates[i].label }));
      report.replicates.forEach((at, i) => (at.run = i));
    },
  ];

  look('are a point with its interval per variant', { data }, async (page) => {
    assert.match(await page.locator('#sweep h2').textContent(), /Over seeds/);
    const chart = figure(page, 'All quantities over seeds');
    const texts = await chart.locator('svg text').allTextContents();
    assert.ok(texts.includes('victim slowdown p99') && texts.includes('variant'));
    await screenshot(page, 'seeds');
  });
});

describe('hello, incast', () => {
  look('teaches what PFC and retransmissions do, not what a default timeout does', { file: process.env.HELLO }, async (page) => {
    const { runs } = await dataOf(page);
    const of = (name) => runs.find(({ label }) => label === name);
    const p99 = (name, group) => of(name).groups[group].slowdown.p99;
    assert.ok(p99('pfc', 0) < 8, 'seven senders share a link: seven times as long');
    for (const name of ['go_back_n', 'irn']) assert.ok(p99(name, 0) < 40, `${name}: ${p99(name, 0)}`);
    assert.ok(p99('irn', 0) < p99('go_back_n', 0));
    assert.ok(p99('pfc', 1) > 1.3 * p99('irn', 1), 'pauses hold the victim');
    assert.match(await page.locator('.headline').textContent(), /pfc.*is best in/);
    await screenshot(page, 'hello');
  });
});
