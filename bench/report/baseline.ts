import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Figure } from '../figures.js';

/** A figure of an earlier full run. */
export interface BaselineFigure extends Figure {
  /** The major version of Node it was measured with. */
  readonly node: number;
  readonly date: string;
}

const file = new URL('../baseline.json', import.meta.url);
export const nodeMajor: number = Number(process.versions.node.split('.')[0]);

export function readBaseline(): readonly BaselineFigure[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BaselineFigure[]) : [];
}

/**
 * Puts new figures in the place of older ones; what was not measured stays. One figure a line, so that a diff shows what moved.
 *
 * @param replaced the phases whose older figures are all dropped
 */
export function writeBaseline(figures: readonly Figure[], replaced: readonly string[]): readonly BaselineFigure[] {
  const date = new Date().toISOString().slice(0, 10);
  const fresh = figures.filter(({ value }) => Number.isFinite(value));
  const kept = readBaseline().filter(({ id }) => !replaced.some((phase) => id.startsWith(`${phase}.`)));
  const known = new Map(kept.map((figure) => [figure.id, figure]));
  for (const figure of fresh) {
    const rounded = { value: round(figure.value), low: round(figure.low), high: round(figure.high) };
    known.set(figure.id, { ...figure, ...rounded, node: nodeMajor, date });
  }
  const all = [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  writeFileSync(file, `[\n${all.map((figure) => `  ${JSON.stringify(figure)}`).join(',\n')}\n]\n`);
  return all;
}

const round = (value: number): number => Number(value.toPrecision(4));
