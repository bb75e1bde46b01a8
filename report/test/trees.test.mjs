// SPDX-License-Identifier: Apache-2.0
// Congestion trees in the report: they must agree with the run's CSV files.
//
// TREES: the report of trees.toml; TREE_RESULTS: the folder of `weir export`; SCREENSHOTS: see report.test.mjs.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { launch, open, screenshot } from './browser.mjs';
import { Results } from './results.mjs';

const results = new Results(join(process.env.TREE_RESULTS, 'pyrrha'));
const trees = results.read('congestion_trees.csv');
const pauses = results.read('tree_pauses.csv');

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

function look(name, examine, file = process.env.TREES) {
  test(name, async () => {
    const opened = await open(browser, file, {});
    try {
      await examine(opened.page);
      assert.deepEqual(opened.faults, []);
    } finally {
      await opened.close();
    }
  });
}

const roots = [...new Set(trees.map(({ root_name, root_port }) => `${root_name}:${root_port}`))];

describe('congestion trees', () => {
  look('are drawn, each with its merges', async (page) => {
    assert.ok(trees.length > 1 && roots.length > 1, 'the scenario has several');
    assert.equal(await page.locator('#trees select option').count(), 1, 'of runs that have any');
    assert.equal(await page.locator('#trees svg.trees rect').count(), trees.length);
    const merges = trees.filter(({ merged_into }) => merged_into !== '' && roots.includes(merged_into));
    assert.ok(merges.length > 0, 'the spine gives up its root');
    assert.equal(await page.locator('#trees svg.trees line.merge').count(), merges.length);
    await page.locator('#trees').scrollIntoViewIfNeeded();
    await screenshot(page, 'trees', false);
  });

  look('have their members, and the pauses of the chosen one', async (page) => {
    const rows = page.locator('#trees table').first().locator('tbody tr');
    assert.equal(await rows.count(), trees.length);
    for (const [i, tree] of trees.entries()) {
      const cells = await rows.nth(i).locator('td').allTextContents();
      assert.deepEqual(cells.slice(2, 7), [tree.members, tree.most_members, tree.hosts, tree.depth, tree.pauses]);
      assert.equal(await rows.nth(i).locator('th').textContent(), `${tree.root_name} → ${tree.root_to_name}`);
      await rows.nth(i).getByRole('button').click();
      const shown = page.locator('#trees table').nth(1).locator('tbody tr');
      const own = pauses.filter((pause) => pause.tree === String(i));
      assert.equal(await shown.count(), own.length);
      assert.equal(await shown.first().locator('th').textContent(), own[0].paused_name);
      assert.equal(await shown.first().locator('td').first().textContent(), own[0].by_name);
    }
  });

  look('are left out where there are none', async (page) => assert.equal(await page.locator('#trees').count(), 0), process.env.HELLO);
});
