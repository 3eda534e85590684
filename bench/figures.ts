/** One thing that was measured. */
export interface Figure {
  /** `<phase>.<metric>.<server>` */
  readonly id: string;
  /** `×` is a ratio. */
  readonly unit: '×' | 'ms' | 'MB' | 'MB/s' | '/s' | '';
  /** The median. */
  readonly value: number;
  /** Nine samples of ten lie between these two. */
  readonly low: number;
  readonly high: number;
  readonly better: 'higher' | 'lower';
  /** True if it depends on the machine: shown for orientation, never compared with the baseline. */
  readonly orientation?: boolean | undefined;
  /** A remark for the reader. */
  readonly note?: string | undefined;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** A figure of several samples. */
export function figure(
  id: string,
  samples: readonly number[],
  rest: Pick<Figure, 'unit' | 'better' | 'orientation' | 'note'>,
): Figure {
  const sorted = [...samples].sort((a, b) => a - b);
  const aside = Math.floor(sorted.length / 20);
  const low = sorted[aside] ?? Number.NaN;
  const high = sorted.at(-1 - aside) ?? Number.NaN;
  return { id, value: median(samples), low, high, ...rest };
}
