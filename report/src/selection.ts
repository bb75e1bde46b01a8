// SPDX-License-Identifier: Apache-2.0
// The choice of runs in the charts: by variant and, in a sweep, by parameter values.
import { inAddress, toAddress } from './address';
import { runColor, theme } from './theme';
import { swatch } from './charts/options';
import { variantName, variantsOf, type Replicate, type Report, type Run } from './data';
import { element } from './dom';
import { plural } from './format';

/** A set of names, some of them hidden. */
class Names {
  readonly hidden = new Set<string>();

  constructor(
    readonly key: string,
    readonly title: string,
    readonly all: string[],
    readonly ofRun: (run: Run) => string,
    readonly ofReplicate: (replicate: Replicate) => string,
  ) {
    for (const name of inAddress(key)?.split(',') ?? []) if (all.includes(decodeURIComponent(name))) this.hidden.add(decodeURIComponent(name));
  }

  set(name: string, shown: boolean): void {
    if (shown) this.hidden.delete(name);
    else this.hidden.add(name);
    this.note();
  }

  only(name: string | null): void {
    this.hidden.clear();
    if (name !== null) for (const other of this.all) if (other !== name) this.hidden.add(other);
    this.note();
  }

  private note(): void {
    toAddress(this.key, this.hidden.size === 0 ? null : [...this.hidden].map(encodeURIComponent).join(','));
  }
}

/** With more chips than this, they can be searched by name. */
const searched = 12;

export class Selection {
  readonly root = element('div', { class: 'selection', role: 'group', 'aria-label': 'Runs shown' });
  private readonly sets: Names[] = [];
  private readonly told = element('output', { class: 'note' });

  constructor(
    private readonly report: Report,
    private readonly changed: () => void,
  ) {
    const ofVariant = (replicate: Replicate): string => variantName(report, replicate);
    // The property of the run's replicate; without seeds and sweeps, of the run itself.
    const byReplicate = (of: (replicate: Replicate) => string) => (run: Run): string => {
      const replicate = report.replicates[run.replicate ?? -1];
      return replicate ? of(replicate) : run.label;
    };
    this.sets.push(new Names('hide', 'Variants', variantsOf(report), byReplicate(ofVariant), ofVariant));
    report.parameters.forEach(({ name, values }, i) => {
      const of = (replicate: Replicate): string => values[replicate.point[i] ?? -1]?.label ?? '';
      if (values.length > 1) this.sets.push(new Names(`hide.${name}`, name, values.map(({ label }) => label), byReplicate(of), of));
    });
    this.build();
  }

  /** The report with only the shown runs and replicates; with all if none is left. */
  view(): Report {
    const { report } = this;
    const runs = report.runs.filter((run) => this.shows(run));
    const shown = report.replicates.map((replicate) => this.sets.every((set) => !set.hidden.has(set.ofReplicate(replicate))));
    return runs.length === 0 && !shown.includes(true) ? report : { ...report, runs: runs.length === 0 ? report.runs : runs, shown };
  }

  /** Redraws in other colours. */
  update(): void {
    this.build();
  }

  private shows(run: Run): boolean {
    return this.sets.every((set) => !set.hidden.has(set.ofRun(run)));
  }

  private build(): void {
    const colors = theme();
    this.root.replaceChildren();
    for (const set of this.sets) {
      if (set.all.length < 2) continue;
      const chips = element('div', { class: 'chips' });
      for (const name of set.all) {
        const box = element('input', { type: 'checkbox', checked: !set.hidden.has(name) });
        box.addEventListener('change', () => {
          set.set(name, box.checked);
          this.tell();
          this.changed();
        });
        const color = set.all.indexOf(name);
        const look = set === this.sets[0] ? { color, pattern: color } : undefined;
        const chip = element('label', { class: 'chip', 'data-name': name, style: look ? `--chip:${runColor(colors, look)}` : undefined }, box);
        if (look) chip.append(swatch(colors, look));
        chip.append(element('span', {}, name));
        chip.addEventListener('dblclick', (event) => {
          event.preventDefault();
          set.only(name);
          this.build();
          this.changed();
        });
        chips.append(chip);
      }
      const all = element('button', { type: 'button' }, 'All');
      all.addEventListener('click', () => {
        set.only(null);
        this.build();
        this.changed();
      });
      const row = element('div', { class: 'chip-row' }, element('span', { class: 'chip-title' }, set.title), chips, all);
      if (set.all.length > searched) row.insertBefore(this.search(set, chips), chips);
      this.root.append(row);
    }
    this.root.hidden = this.root.childElementCount === 0;
    this.root.append(this.told);
    this.tell();
  }

  private search(set: Names, chips: HTMLElement): HTMLElement {
    const field = element('input', { type: 'search', placeholder: 'filter', 'aria-label': `Filter ${set.title}` });
    field.addEventListener('input', () => {
      const wanted = field.value.toLowerCase();
      for (const chip of chips.children) (chip as HTMLElement).hidden = !(chip as HTMLElement).dataset['name']!.toLowerCase().includes(wanted);
    });
    return field;
  }

  private tell(): void {
    const shown = this.report.runs.filter((run) => this.shows(run)).length;
    const all = this.report.runs.length;
    this.told.textContent = shown === 0 && all > 0 ? 'No run is selected: all are shown.' : shown === all ? '' : `${plural(shown, 'run')} of ${all} shown in tables and charts.`;
  }
}
