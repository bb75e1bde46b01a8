// SPDX-License-Identifier: Apache-2.0
// Generated data that no small run provides: networks of other shapes, sweeps of many runs, overlapping lines.

/** A network of switches with `hosts` hosts each; `pairs`: links between switches by their number. */
function networkOf(names, tiers, pairs, hosts) {
  const nodes = names.map((name, i) => [name, tiers[i]]);
  const links = [];
  const join = (a, b) => links.push([a, b, 100], [b, a, 100]);
  names.forEach((_, at) => {
    if (tiers[at] > 1) return;
    for (let i = 0; i < hosts; ++i) {
      nodes.push([`h${nodes.length - names.length}`, 0]);
      join(nodes.length - 1, at);
    }
  });
  for (const [a, b] of pairs) join(a, b);
  return { nodes, links };
}

const numbered = (stem, many) => [...Array(many).keys()].map((i) => `${stem}${i}`);
const flat = (many) => new Array(many).fill(1);

export function ring(many) {
  // Not in the order of names: s0 is next to s3.
  const at = (i) => (i * 3) % many;
  return networkOf(numbered('s', many), flat(many), [...Array(many).keys()].map((i) => [at(i), at(i + 1)]), 2);
}

export function mesh(rows, columns, wraps) {
  const pairs = [];
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      const at = row * columns + column;
      if (column + 1 < columns) pairs.push([at, at + 1]);
      else if (wraps) pairs.push([at, row * columns]);
      if (row + 1 < rows) pairs.push([at, at + columns]);
      else if (wraps) pairs.push([at, column]);
    }
  }
  return networkOf(numbered('s', rows * columns), flat(rows * columns), pairs, 2);
}

export function line(many) {
  // Not in the order of names.
  const order = [...Array(many).keys()].map((i) => (i * 3) % many);
  return networkOf(numbered('s', many), flat(many), order.slice(1).map((at, i) => [order[i], at]), 2);
}

export function fullMesh(many) {
  const pairs = [];
  for (let a = 0; a < many; ++a) for (let b = 0; b < a; ++b) pairs.push([a, b]);
  return networkOf(numbered('s', many), flat(many), pairs, 1);
}

export function leafSpine(tors, spines, hosts) {
  const pairs = [];
  for (let tor = 0; tor < tors; ++tor) for (let spine = 0; spine < spines; ++spine) pairs.push([tor, tors + spine]);
  return networkOf([...numbered('tor', tors), ...numbered('spine', spines)], [...flat(tors), ...new Array(spines).fill(2)], pairs, hosts);
}

/** Every link has a load; the links to host h0 and to its switch have queues, and the links upstream of them pauses. */
export function putNetwork(data, network) {
  data.networks = [network];
  data.differences = [];
  data.runs = data.runs.slice(0, 1);
  const [run] = data.runs;
  run.network = 0;
  run.findings = [];
  const intervals = 20;
  const all = network.links.map((_, i) => i);
  const rows = (links, value) => ({ links, values: Buffer.from(links.flatMap((link) => [...Array(intervals).keys()].map((i) => value(link, i)))).toString('base64') });
  const root = network.nodes.findIndex(([name]) => name === 'h0');
  const edge = network.links.find(([from]) => from === root)[1];
  const to = (node) => all.filter((link) => network.links[link][1] === node);
  run.timeline = {
    ...run.timeline,
    intervalUs: run.simulatedUs / intervals,
    intervals,
    load: rows(all, (link, i) => (link * 7 + i * 5) % 256),
    queued: rows([...to(root), ...to(edge).filter((link) => network.nodes[network.links[link][0]][1] > 0)], (_, i) => (i > 4 ? 100 : 0)),
    paused: rows(to(edge), (_, i) => (i === 10 ? 255 : i > 4 ? 128 : 0)),
    pausesLeftOut: 0,
    pausesUntilUs: null,
  };
}

/** Several copies of the first run, each changed by `change(run, i)`. */
export function putRuns(data, many, change) {
  const [first] = data.runs;
  data.differences = [];
  data.runs = [...Array(many).keys()].map((i) => {
    const run = structuredClone(first);
    run.label = run.variant = `variant ${i}`;
    run.findings = [];
    change?.(run, i);
    return run;
  });
}

const estimate = (mean, half) => ({ n: 5, mean, low: mean - half, high: mean + half });

/** A sweep of 140 runs: 7 variants x 4 loads x 5 seeds. Variant v has slowdown (v + 1) (load + 0.5), but variants 0 and 1 cannot be distinguished. */
export function putSweep(data) {
  const loads = [0.2, 0.4, 0.6, 0.8];
  data.parameters = [{ name: 'load', values: loads.map((number) => ({ label: String(number), number })) }];
  data.quantities = [
    { group: 'victim slowdown', name: 'p99', unit: '', title: 'victim slowdown p99' },
    { group: 'max buffer', name: 'ToR', unit: 'MB', title: 'max buffer ToR (MB)' },
    { group: 'drops', name: 'frames', unit: '', title: 'drops (frames)' },
  ];
  data.replicates = [];
  const points = [];
  for (let variant = 0; variant < 7; ++variant) {
    loads.forEach((load, value) => {
      const slow = (Math.max(variant, 0.98) + 1) * (load + 0.5) + (variant === 0 ? -0.01 : 0);
      points.push([variant, value]);
      data.replicates.push({
        label: `scheme${variant}, load ${load}`,
        variant: `scheme${variant}`,
        scenario: 'sweep',
        point: [value],
        seeds: ['1', '2', '3', '4', '5'],
        left_out: variant === 6 && value === 3 ? ['6'] : [],
        run: null,
        estimates: [estimate(slow, 0.05), estimate(2 - variant * 0.2, 0.01), variant < 2 ? estimate(0, 0) : estimate(100 * variant, 5)],
        sizes: data.sizeBins.map(() => ({ mean: estimate(slow / 2, 0.02), p99: estimate(slow, 0.05) })),
      });
    });
  }
  putRuns(data, 24, (run, i) => {
    const [variant, value] = points[i];
    run.variant = `scheme${variant}`;
    run.label = data.replicates[i].label;
    run.replicate = i;
    data.replicates[i].run = i;
    run.timeline.series.delivered = run.timeline.series.delivered.map((rate) => rate * (1 - 0.1 * variant) * loads[value]);
  });
}
