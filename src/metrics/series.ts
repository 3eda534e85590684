import { ownText } from '../cache/own-text.js';

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** The values of one combination of labels, as plain numbers: samples are made when metrics are printed. */
export class Series {
  readonly labels: readonly string[];
  value = 0;
  /** For a histogram, how many values are in each bucket, not cumulative; the last count is of those above them all. */
  readonly counts: number[];
  /** False from a reset until the next update: the series is not printed. */
  isPrinted = true;
  readonly #buckets: readonly number[];

  constructor(labels: readonly string[], buckets: readonly number[]) {
    this.labels = labels;
    this.#buckets = buckets;
    this.counts = new Array<number>(buckets.length + 1).fill(0);
  }

  add(value: number): void {
    this.set(this.value + value);
  }

  set(value: number): void {
    this.value = value;
    this.isPrinted = true;
  }

  observe(value: number): void {
    this.add(value);
    let index = 0;
    while (index < this.#buckets.length && value > (this.#buckets[index] as number)) index += 1;
    this.counts[index] = (this.counts[index] as number) + 1;
  }

  reset(): void {
    this.value = 0;
    this.counts.fill(0);
    this.isPrinted = false;
  }
}

/** The most series of one metric; more count as `other`. Clients choose no labels: only very many checks reach this. */
const MAX_SERIES = 1_000;
const OTHER = 'other';

/** A metric that prom-client's `Registry` accepts: it reads `name` at registration, and calls `get` when it prints. */
export class Metric {
  /** How prom-client's `AggregatorRegistry` combines the values of the workers of `node:cluster`. */
  readonly aggregator: 'sum' | 'min' | 'max';
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** prom-client takes `_total` off the name of a counter before it prints OpenMetrics. */
  name: string;
  readonly labelNames: readonly string[];
  readonly help: string;
  readonly #buckets: readonly number[];
  readonly #series = new Map<string, Series>();

  /** @param buckets upper bounds of a histogram */
  constructor(
    type: Metric['type'],
    name: string,
    labelNames: readonly string[],
    help: string,
    buckets: readonly number[] = [],
    aggregator: Metric['aggregator'] = 'sum',
  ) {
    this.type = type;
    this.name = name;
    this.labelNames = labelNames;
    this.help = help;
    this.#buckets = buckets;
    this.aggregator = aggregator;
  }

  /** Returns the series of these label values, which are in the order of `labelNames`. */
  of(...values: readonly string[]): Series {
    const known = this.#series.get(values.join('\0'));
    if (known !== undefined) return known;
    const labels = this.#series.size < MAX_SERIES ? values : this.labelNames.map(() => OTHER);
    const key = labels.join('\0');
    const series = this.#series.get(key) ?? new Series(labels.map(ownText), this.#buckets);
    this.#series.set(key, series);
    return series;
  }

  /** Removes the series whose first labels have these values. */
  remove(...values: readonly string[]): void {
    for (const [key, { labels }] of this.#series) {
      if (values.every((value, index) => labels[index] === value)) this.#series.delete(key);
    }
  }

  get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    const values = [...this.#series.values()].flatMap((one) => (one.isPrinted ? this.#samples(one) : []));
    return Promise.resolve({ name, help, type, aggregator, values });
  }

  /** Called when the registry is reset. A gauge keeps its value, because it is a current state. */
  reset(): void {
    if (this.type === 'gauge') return;
    for (const one of this.#series.values()) one.reset();
  }

  #samples({ labels: values, value, counts }: Series): Sample[] {
    const labels = Object.fromEntries(this.labelNames.map((label, index) => [label, values[index] ?? '']));
    if (this.type !== 'histogram') return [{ labels, value }];
    let count = 0;
    const bucketed = counts.map((inBucket, index): Sample => {
      count += inBucket;
      const le = this.#buckets[index] ?? '+Inf';
      return { labels: { le, ...labels }, value: count, metricName: `${this.name}_bucket` };
    });
    return [
      ...bucketed,
      { labels, value, metricName: `${this.name}_sum` },
      { labels, value: count, metricName: `${this.name}_count` },
    ];
  }
}
