// SPDX-License-Identifier: Apache-2.0
// Colours from the style sheet, so that pages and charts agree in light and dark mode.
import type { Look } from './data';

export interface Theme {
  dark: boolean;
  background: string;
  text: string;
  faint: string;
  line: string;
  /** For runs, in their order. */
  runs: string[];
  /** From no load to full load. */
  load: string[];
  queue: string;
  tank: string;
  pause: string;
  /** For links of a cyclic buffer dependency. */
  cycle: string;
  node: string;
  nodeLine: string;
}

// Any two differ by at least 20 (CIE76), also for readers with protanopia, deuteranopia or tritanopia, and each has a
// contrast of at least 3:1 with the page.
const light = ['#14327f', '#de7a00', '#118953', '#b173ae', '#2d98f1', '#4e5515', '#814beb', '#3d253a'];
const dark = ['#377bc6', '#eb6821', '#6cffac', '#ad6b7d', '#9ec8ff', '#f9d769', '#8b6aff', '#d2d7df'];

function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function mix(from: string, to: string, share: number): string {
  const channel = (color: string, at: number) => parseInt(color.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) => Math.round(channel(from, at) + (channel(to, at) - channel(from, at)) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** `steps` colours along the given ones. */
function ramp(stops: string[], steps: number): string[] {
  return Array.from({ length: steps }, (_, i) => {
    const at = (i / (steps - 1)) * (stops.length - 1);
    const stop = Math.min(Math.floor(at), stops.length - 2);
    return mix(stops[stop] ?? '#000000', stops[stop + 1] ?? '#000000', at - stop);
  });
}

function themeOf(isDark: boolean): Theme {
  return {
    dark: isDark,
    background: variable('--background'),
    text: variable('--text'),
    faint: variable('--faint'),
    line: variable('--line'),
    runs: isDark ? dark : light,
    load: ramp(isDark ? ['#2b333d', '#2c4c6b', '#3f78b0', '#7cc0ff', '#e2f2ff'] : ['#e3e7ec', '#c3daf0', '#8dbbe5', '#4180bf', '#0f3a70'], 16),
    queue: isDark ? '#ffb547' : '#ef8a00',
    tank: isDark ? '#8f6420' : '#ffd591',
    pause: isDark ? '#ff5c80' : '#d1123f',
    cycle: variable('--cycle'),
    node: isDark ? '#232a33' : '#ffffff',
    nodeLine: isDark ? '#77828f' : '#6a7583',
  };
}

const preference = matchMedia('(prefers-color-scheme: dark)');

export function theme(): Theme {
  return themeOf(preference.matches);
}

export function onThemeChange(changed: () => void): void {
  preference.addEventListener('change', changed);
}

/** The colour of a look; colours repeat if there are too few. */
export function runColor(colors: Theme, look: Look | undefined): string {
  return colors.runs[(look?.color ?? 0) % colors.runs.length] ?? colors.text;
}
