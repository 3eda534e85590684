import type { Bench } from '../context.js';
import type { Figure } from '../figures.js';
import type { BenchServer } from '../server-process.js';

/** How a number of the samples becomes a figure. */
export interface Metric {
  readonly key: string;
  /**
   * `ratio`: to the number of the floor in the same slice, for a framework to that of its bare routes. `floor-ratio`: to the
   * floor's, for frameworks only. `value`: as it is.
   */
  readonly as: 'ratio' | 'floor-ratio' | 'value';
  readonly unit: Figure['unit'];
  readonly better: Figure['better'];
}

export const BYTES: Metric = { key: 'mb', as: 'ratio', unit: '×', better: 'higher' };
export const CPU: Metric = { key: 'cpu', as: 'ratio', unit: '×', better: 'lower' };

/** The numbers of one slice, by metric. */
export type Sample = Readonly<Record<string, number>>;

/** A phase in which the servers alternate slice by slice. */
export interface Phase {
  readonly id: string;
  readonly title: string;
  readonly metrics: readonly Metric[];
  /** Slices in a round, where the usual number would take too long. */
  readonly slices?: number;
  /** Measured in the frameworks, too. */
  readonly mounts?: boolean;
  /** @param first true if nothing like it ran in this process before, so that it has to warm up for longer */
  measure(bench: Bench, server: BenchServer, first: boolean): Promise<Sample>;
}

/** A measurement with processes of its own, outside of the rounds. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** True if the set of figures depends on the run: then those of an earlier run are dropped. */
  readonly changing?: boolean;
  run(bench: Bench): Promise<readonly Figure[]>;
}

/** The data set of phases that read and change. */
export const DATA = { namespace: 'bench-data', size: 10_000 } as const;
