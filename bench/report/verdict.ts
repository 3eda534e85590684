import type { Figure } from '../figures.js';
import type { BenchTarget } from '../targets.js';
import type { BaselineFigure } from './baseline.js';

/** The relative difference to the baseline from which on a figure is marked. */
const NOTICEABLE = 0.1;

/** `met`, `NOT MET`, or nothing for a figure without a target. */
export function verdict({ value }: Figure, target: BenchTarget | undefined): '' | 'met' | 'NOT MET' {
  if (!target) return '';
  return value >= (target.atLeast ?? -Infinity) && value <= (target.atMost ?? Infinity) ? 'met' : 'NOT MET';
}

export function bound({ atLeast, atMost }: BenchTarget): string {
  return atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
}

/** The difference to the baseline, if it is more than 10 %. */
export function change(figure: Figure, before: BaselineFigure | undefined): string {
  if (!before || figure.orientation || before.value === 0) return '';
  const moved = figure.value / before.value - 1;
  if (Math.abs(moved) <= NOTICEABLE) return '';
  const better = moved > 0 === (figure.better === 'higher');
  return `${better ? 'better' : 'WORSE'} ${moved > 0 ? '+' : ''}${Math.round(moved * 100)} %`;
}

export function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toString();
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** The figure with its unit; a ratio has none. */
export const shown = ({ value, unit }: Pick<Figure, 'value' | 'unit'>): string =>
  `${number(value)}${unit === '×' || unit === '' ? '' : ` ${unit}`}`;

export const spread = ({ low, high }: Pick<Figure, 'low' | 'high'>): string =>
  low === high ? '' : `${number(low)} – ${number(high)}`;
