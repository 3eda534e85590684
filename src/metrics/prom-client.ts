/** The members of prom-client's `Registry` that are used. */
export interface MetricsRegistry {
  /** The media type of the text that `metrics` returns. */
  readonly contentType: string;
  /** Adds a metric. */
  registerMetric(metric: never): void;
  /** All metrics as text. */
  metrics(): Promise<string>;
  /** The metric of a name, or `undefined`. Where it is missing, metrics are added without a check. */
  getSingleMetric?(name: string): unknown;
  /** One metric as text. */
  getSingleMetricAsString(name: string): Promise<string>;
}

export interface LabelledRegistry extends MetricsRegistry {
  setDefaultLabels(labels: object): void;
}

interface PromClient {
  readonly Registry: new () => LabelledRegistry;
  collectDefaultMetrics(options: { readonly register: MetricsRegistry }): void;
}

export async function loadRegistry(processMetrics: boolean): Promise<LabelledRegistry> {
  let module: PromClient;
  try {
    const loaded = (await import('prom-client')) as unknown as PromClient & { readonly default?: PromClient };
    module = loaded.default ?? loaded;
  } catch (cause) {
    throw new Error(
      'kube-vitals/metrics needs prom-client: npm install prom-client, or pass a registry to createMetrics',
      { cause },
    );
  }
  const registry = new module.Registry();
  if (processMetrics) module.collectDefaultMetrics({ register: registry });
  return registry;
}
