// SPDX-License-Identifier: Apache-2.0
// The data of a report, in the form that src/report/report_data.cpp writes.

/** Of a set of values; all quantiles are exact, by nearest rank. */
export interface Distribution {
  count: number;
  mean: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  max: number;
}

export interface FctSummary {
  flows: number;
  /** Flows that should have completed. */
  due: number;
  completed: number;
  /** Packets. */
  retransmitted: number;
  outOfOrder: number;
  fctUs: Distribution | null;
  slowdown: Distribution | null;
}

/** A distribution function: shares[i] of the values are at most values[i]. */
export interface Curve {
  shares: number[];
  values: number[];
}

export interface Tier {
  tier: number;
  name: string;
  switches: number;
  /** Bytes in the fullest switch, exact. */
  maximum: number;
  fullest: string;
  samples: number;
  /** Bytes, over all samples of all switches. */
  mean: number;
  p50: number;
  p95: number;
  p99: number;
  curve: Curve;
  pauses: number;
  drops: number[];
}

export interface TierPair {
  pausedTier: number;
  pausingTier: number;
  paused: string;
  pausing: string;
  links: number;
  linksPaused: number;
  pauses: number;
  /** Share of links x simulated time. */
  share: number;
  /** Share of simulated time, for the link that was paused longest. */
  largestShare: number;
}

export interface Hold {
  packets: number;
  heldUs: number;
  innocentUs: number;
  innocentShare: number;
}

export interface Series {
  name: string;
  unit: string;
  intervalUs: number;
  /** A value is the largest of its samples, not their mean. */
  maximum: boolean;
  values: number[];
}

/** Base64 of one byte per link and interval. */
export interface PackedRows {
  links: number[];
  values: string;
}

export interface TierQueues {
  tier: number;
  total: number[];
  fullest: number[];
}

export interface TierPauses {
  pausedTier: number;
  pausingTier: number;
  held: number[];
}

export interface PackedTimeline {
  intervalUs: number;
  intervals: number;
  leastQueue: number;
  queueStep: number;
  load: PackedRows;
  queued: PackedRows;
  paused: PackedRows;
  pausesLeftOut: number;
  /** Pauses that begin later are incomplete; null: all are complete. */
  pausesUntilUs: number | null;
  series: { intervalUs: number; delivered: number[]; queues: TierQueues[]; pauses: TierPauses[] };
}

/**
 * A finding about a run beyond its measurements. `ports`: for a cycle, each port waits for the next, and the last for
 * the first; for drops, the ports whose frames were dropped most at the other end of their link.
 */
export interface Finding {
  kind: 'warning' | 'note' | 'cyclic buffer dependency' | 'deadlock' | 'drops of a lossless priority' | 'pause watchdog';
  text: string;
  /** The failed links under which the finding holds; "": none. */
  failed: string;
  /** A link of the network, and the finding about the port that sends to it. */
  ports: { link: number; what: string }[];
}

/** Why flows were slower than ideal: means over completed flows of a group. The parts and 1 add up to `slowdown`. */
export interface Split {
  flows: number;
  slowdown: number;
  queueing: number;
  pause: number;
  pacing: number;
  timeout: number;
}

/** The style of a run in all charts: numbers of a colour and of a dash pattern, marker and hatching. */
export interface Look {
  color: number;
  pattern: number;
}

export interface Run {
  label: string;
  scenario: string;
  variant: string;
  seed: string;
  version: string;
  digest: string;
  interrupted: boolean;
  failure: string;
  findings: Finding[];
  simulatedUs: number;
  wallSeconds: number;
  packetHops: number;
  configuration: string;
  /** By group, as Report.groups. */
  groups: FctSummary[];
  /** By size bin, then group. */
  sizes: FctSummary[][];
  /** Those traffic labels that flows have. */
  labels: { name: string; flows: FctSummary }[];
  /** Of slowdowns, by group. */
  curves: Curve[];
  tiers: Tier[];
  tierPairs: TierPair[];
  pausedShare: number;
  pauses: number;
  /** Frames, by reason. */
  drops: number[];
  dropped: number;
  /** By group; null: no packet was blocked, or none was observed. */
  holds: (Hold | null)[];
  dataFrames: number;
  retransmittedFrames: number;
  outOfOrderFrames: number;
  retransmittedShare: number;
  series: Series[];
  /** Rows of additional measurements, by kind; those of results_schema.md. */
  statistics: Record<string, { columns: string[]; rows: (number | string | null)[][] }>;
  timeline: PackedTimeline | null;
  network: number;
  /** By group; null: not measured, or no flow. Set by readReport(). */
  splits: (Split | null)[];
  /** The replicate that the run represents. */
  replicate?: number | null;
  /** Set by readReport(). */
  look: Look;
}

export interface Network {
  /** Name and tier; 0: a host. */
  nodes: [string, number][];
  /** A direction of a link: from, to, Gbit/s. */
  links: [number, number, number][];
}

/** A parameter of a sweep. */
export interface Parameter {
  name: string;
  /** `number`: null for a text; bytes, microseconds, bit/s. */
  values: { label: string; number: number | null }[];
}

/** A figure for which there are estimates. */
export interface Quantity {
  group: string;
  name: string;
  unit: string;
  title: string;
}

/** Mean of a figure over seeds and its 95 % confidence interval, which is null with one seed. */
export interface Estimate {
  n: number;
  mean: number;
  low: number | null;
  high: number | null;
}

/** The runs of a variant at one point of a sweep, which differ only in their seed. */
export interface Replicate {
  label: string;
  variant: string;
  scenario: string;
  /** Index into the values of each parameter. */
  point: number[];
  seeds: string[];
  /** Seeds of runs that are excluded. */
  left_out: string[];
  /** The run that represents it. */
  run: number | null;
  /** By quantity. */
  estimates: (Estimate | null)[];
  /** By size bin: slowdown of flows outside incasts. */
  sizes: { mean: Estimate | null; p99: Estimate | null }[];
}

export interface Report {
  title: string;
  question: string;
  statements: string[];
  /** Expected runs that are missing. */
  missing: string[];
  sizeBins: string[];
  groups: string[];
  dropReasons: string[];
  /** The scenario's own pictures: the name of the file, and the drawing. */
  pictures: { file: string; svg: string }[];
  /** Keys of the configuration that differ; "" where a run has no such key. */
  differences: { path: string; values: string[] }[];
  networks: Network[];
  runs: Run[];
  parameters: Parameter[];
  quantities: Quantity[];
  /** Empty: there is neither a sweep nor a second seed. */
  replicates: Replicate[];
  /** By replicate: whether the reader chose to see it. Set by Selection. */
  shown?: boolean[];
}

/** Groups of flows by their number in Report.groups. */
export const Group = { incast: 0, victim: 1, background: 2, notIncast: 3, all: 4 } as const;

/** The names that get different colours: variants or, without seeds and sweeps, runs. */
export function variantsOf(report: Report): string[] {
  if (report.replicates.length === 0) return report.runs.map(({ label }) => label);
  const several = new Set(report.replicates.map(({ scenario }) => scenario)).size > 1;
  return [...new Set(report.replicates.map((at) => variantOf(at, several)))];
}

function variantOf(replicate: Replicate, severalScenarios: boolean): string {
  const name = replicate.variant === '' ? replicate.scenario : replicate.variant;
  return severalScenarios && replicate.variant !== '' ? `${replicate.scenario}/${name}` : name;
}

/** The name in variantsOf() for a replicate. */
export function variantName(report: Report, replicate: Replicate): string {
  return variantOf(replicate, new Set(report.replicates.map(({ scenario }) => scenario)).size > 1);
}

/** One colour per variant; runs of the same variant at other points of a sweep differ in their pattern. */
function giveLooks(report: Report): void {
  const variants = variantsOf(report);
  const runsOf = new Map<number, number>();
  report.runs.forEach((run, number) => {
    const replicate = report.replicates[run.replicate ?? -1];
    const variant = replicate ? variants.indexOf(variantName(report, replicate)) : number;
    const before = runsOf.get(variant) ?? 0;
    runsOf.set(variant, before + 1);
    // Each variant has its own pattern, too, because some readers cannot distinguish the colours.
    run.look = { color: variant, pattern: variant + before };
  });
}

/** The rows of `slowdown_split`, by group. */
function splitsOf(report: Report, run: Run): (Split | null)[] {
  const table = run.statistics['slowdown_split'];
  return report.groups.map((group) => {
    const row = table?.rows.find((at) => at[table.columns.indexOf('class')] === group);
    if (!table || !row) return null;
    const value = (name: string): number => Number(row[table.columns.indexOf(name)] ?? 0);
    return { flows: value('flows'), slowdown: value('slowdown'), queueing: value('queueing'), pause: value('pause'), pacing: value('pacing'), timeout: value('timeout') };
  });
}

export function readReport(): Report {
  const read = JSON.parse(document.getElementById('weir-data')?.textContent ?? 'null') as Report;
  const report = { ...read, parameters: read.parameters ?? [], quantities: read.quantities ?? [], replicates: read.replicates ?? [], pictures: read.pictures ?? [] };
  giveLooks(report);
  for (const run of report.runs) run.splits = splitsOf(report, run);
  return report;
}

/** Whether the run reached its end with every invariant intact. */
export function isWhole(run: Run): boolean {
  return !run.interrupted && run.failure === '';
}

/** The run's label, marked if the run is not whole. */
export function markedLabel(run: Run): string {
  if (run.failure !== '') return `${run.label} (FAILED)`;
  return run.interrupted ? `${run.label} (INTERRUPTED)` : run.label;
}

/** The labels that flows have in any run. */
export function labelsWithFlows(report: Report): string[] {
  return [...new Set(report.runs.flatMap((run) => run.labels.map((label) => label.name)))];
}

/** The groups that have flows in any run. */
export function groupsWithFlows(report: Report): number[] {
  return report.groups.map((_, group) => group).filter((group) => report.runs.some((run) => (run.groups[group]?.flows ?? 0) > 0));
}

function bytesOf(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Rows of bytes by link. */
class Rows {
  private readonly rowOf: Int32Array;
  private readonly values: Uint8Array;

  constructor(packed: PackedRows, links: number, private readonly intervals: number) {
    this.rowOf = new Int32Array(links).fill(-1);
    packed.links.forEach((link, row) => (this.rowOf[link] = row));
    this.values = bytesOf(packed.values);
  }

  at(link: number, interval: number): number {
    const row = this.rowOf[link] ?? -1;
    return row < 0 ? 0 : (this.values[row * this.intervals + interval] ?? 0);
  }

  largest(): number {
    let largest = 0;
    for (const value of this.values) largest = Math.max(largest, value);
    return largest;
  }
}

/** The state of every direction of every link over time. */
export class Timeline {
  readonly intervals: number;
  readonly intervalUs: number;
  private readonly loads: Rows;
  private readonly queues: Rows;
  private readonly pauses: Rows;
  private readonly bytes: Float64Array;

  constructor(readonly packed: PackedTimeline, links: number) {
    this.intervals = packed.intervals;
    this.intervalUs = packed.intervalUs;
    this.loads = new Rows(packed.load, links, packed.intervals);
    this.queues = new Rows(packed.queued, links, packed.intervals);
    this.pauses = new Rows(packed.paused, links, packed.intervals);
    this.bytes = Float64Array.from({ length: 256 }, (_, code) =>
      code === 0 ? 0 : packed.leastQueue * 2 ** ((code - 1) * packed.queueStep),
    );
  }

  /** Share of the link's capacity, 0..1. */
  load(link: number, interval: number): number {
    return this.loads.at(link, interval) / 255;
  }
  /** Largest number of bytes queued at the sender in the interval. */
  queued(link: number, interval: number): number {
    return this.bytes[this.queues.at(link, interval)] ?? 0;
  }
  /** Share of the interval for which a pause blocked the sender, 0..1. */
  paused(link: number, interval: number): number {
    return this.pauses.at(link, interval) / 255;
  }
  largestQueue(): number {
    return this.bytes[this.queues.largest()] ?? 0;
  }
}
