/** Labels of one series, in the order in which the metric declares them. */
export type LabelValues = readonly string[];

/** A sample as prom-client prints it. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** A metric as a prom-client `Registry` takes it: it asks for `name` when it is registered, and calls `get` when it prints. */
export interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly aggregator: 'sum';
  readonly labelNames: readonly string[];
  get(): Promise<object>;
  reset(): void;
}

/** What a metric is called and made of. */
export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** One combination of label values. What happens on every request is kept here as numbers, and printed when it is asked for. */
export class Series {
  readonly labels: LabelValues;
  value = 0;
  /** The metric has forgotten it: what is added here is printed no more. */
  forgotten = false;
  /** Of a histogram: how many values are in each bucket and in no lower one; the last one is above all. */
  readonly counts: number[];
  readonly #buckets: readonly number[];

  constructor(labels: LabelValues, buckets: readonly number[]) {
    this.labels = labels;
    this.#buckets = buckets;
    this.counts = new Array<number>(buckets.length + 1).fill(0);
  }

  /** Adds a value to a histogram. */
  observe(value: number): void {
    this.value += value;
    let index = 0;
    while (index < this.#buckets.length && value > (this.#buckets[index] as number)) index += 1;
    this.counts[index] = (this.counts[index] as number) + 1;
  }
}

/**
 * The most series of one metric. Labels are never what clients send, so that it takes a service with very many checks to
 * reach this; what comes later is counted under `other`.
 */
const MOST_SERIES = 1_000;
const OTHER = 'other';

/** A metric and its series. */
export interface Metric extends RegistryMetric {
  /** The series of these label values. */
  of(...values: LabelValues): Series;
  /** Forgets a series. */
  remove(...values: LabelValues): void;
}

/** Makes a metric without series. */
export function createMetric({ name, help, type, labels, buckets = [] }: MetricDefinition): Metric {
  const series = new Map<string, Series>();

  const labelsOf = (values: LabelValues): Record<string, string | number> =>
    Object.fromEntries(labels.map((label, index) => [label, values[index] ?? '']));

  function samples(one: Series): Sample[] {
    const own = labelsOf(one.labels);
    if (type !== 'histogram') return [{ labels: own, value: one.value }];
    let count = 0;
    const bucketed = one.counts.map((inBucket, index): Sample => {
      count += inBucket;
      return { labels: { le: buckets[index] ?? '+Inf', ...own }, value: count, metricName: `${name}_bucket` };
    });
    return [
      ...bucketed,
      { labels: own, value: one.value, metricName: `${name}_sum` },
      { labels: own, value: count, metricName: `${name}_count` },
    ];
  }

  return {
    name,
    help,
    type,
    aggregator: 'sum',
    labelNames: labels,
    of(...values) {
      const key = values.join('\0');
      const known = series.get(key);
      if (known !== undefined) return known;
      if (series.size >= MOST_SERIES) {
        const rest = labels.map(() => OTHER);
        const restKey = rest.join('\0');
        const other = series.get(restKey) ?? new Series(rest, buckets);
        series.set(restKey, other);
        return other;
      }
      const made = new Series(values, buckets);
      series.set(key, made);
      return made;
    },
    remove(...values) {
      const key = values.join('\0');
      const known = series.get(key);
      if (known !== undefined) known.forgotten = true;
      series.delete(key);
    },
    get: () =>
      Promise.resolve({
        name,
        help,
        type,
        aggregator: 'sum',
        values: [...series.values()].flatMap((one) => samples(one)),
      }),
    reset() {
      for (const one of series.values()) one.forgotten = true;
      series.clear();
    },
  };
}
