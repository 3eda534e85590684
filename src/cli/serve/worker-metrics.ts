import type { Clock } from '../../clock/clock.js';
import { oncePerTurn } from '../../clock/once-per-turn.js';
import type { MetricsRegistry } from '../../metrics.js';
import type { LabelledRegistry } from '../../metrics/prom-client.js';
import type { WorkerProcess } from './supervisor.js';
import type { MetricsFromWorker, ToWorker } from './worker-messages.js';
import type { Primary } from './worker-processes.js';

/** How long a scrape waits for workers, in milliseconds: Prometheus waits for ten seconds. */
const DEADLINE_MS = 2_000;

/** The primary's part: passes requests for metrics on to all of `count` workers, and sends their responses together. */
export function createMetricsRelay(count: number, clock: Clock) {
  const open = new Map<number, (from: number, text: string) => void>();
  let requests = 0;

  return (from: number, message: MetricsFromWorker, workers: Workers): void => {
    if (message.type === 'metrics.response') return open.get(message.id)?.(from, message.text);
    const { id: requestId, name } = message;
    const id = ++requests;
    const texts = new Map<number, string>();
    // Those that wait to be started again are not among them.
    const asked = workers.size;
    const done = (): void => {
      timer.cancel();
      open.delete(id);
      const up = name === undefined ? [upText(count, texts)] : [];
      workers.get(from)?.send({ type: 'metrics.gathered', id: requestId, texts: [...texts.values(), ...up] });
    };
    const timer = clock.setTimer(done, DEADLINE_MS);
    open.set(id, (worker, text) => {
      texts.set(worker, text);
      if (texts.size === asked) done();
    });
    for (const worker of workers.values()) worker.send({ type: 'metrics.wanted', id, name });
  };
}

type Workers = ReadonlyMap<number, WorkerProcess>;

function upText(count: number, texts: ReadonlyMap<number, string>): string {
  const name = 'kube_vitals_worker_up';
  const lines = Array.from({ length: count }, (_, i) => `${name}{worker="${i + 1}"} ${texts.has(i + 1) ? 1 : 0}`);
  return [`# HELP ${name} 1 if the worker has responded to this scrape.`, `# TYPE ${name} gauge`, ...lines].join('\n');
}

/**
 * The worker's part: a registry that prints the metrics of all workers, each with the label `worker`. Sums would be
 * wrong: those of counters fall when a worker is started again, which Prometheus takes for a restart of all.
 */
export function shareRegistry(number: number, primary: Pick<Primary, 'send' | 'onMessage'>, clock: Clock) {
  return (registry: LabelledRegistry): MetricsRegistry => {
    registry.setDefaultLabels({ worker: String(number) });
    // The other workers may request them in one turn, too.
    const own = oncePerTurn((name: string | undefined) =>
      name === undefined ? registry.metrics() : registry.getSingleMetricAsString(name),
    );
    const waiting = new Map<number, (texts: readonly string[]) => void>();
    let requests = 0;
    primary.onMessage((message: ToWorker) => {
      if (message.type === 'metrics.gathered') waiting.get(message.id)?.(message.texts);
      if (message.type !== 'metrics.wanted') return;
      const { id } = message;
      void own(message.name).then((text) => primary.send({ type: 'metrics.response', id, text }));
    });
    const gather = async (name?: string): Promise<string> => {
      const id = ++requests;
      const texts = await new Promise<readonly string[]>((resolve) => {
        // The primary keeps to its deadline unless it has ended.
        const timer = clock.setTimer(() => resolve([]), 2 * DEADLINE_MS);
        waiting.set(id, (gathered) => {
          timer.cancel();
          resolve(gathered);
        });
        void primary.send({ type: 'metrics.requested', id, name }).then((isSent) => isSent || waiting.get(id)?.([]));
      });
      waiting.delete(id);
      return mergeMetrics(texts.length > 0 ? texts : [await own(name)]);
    };
    return {
      contentType: registry.contentType,
      registerMetric: (metric) => registry.registerMetric(metric),
      metrics: () => gather(),
      getSingleMetricAsString: gather,
    };
  };
}

/** Several texts in Prometheus' format as one: the samples of a metric together, below one HELP and one TYPE. */
export function mergeMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, string[]>();
  for (const text of texts) {
    for (const part of text.split(/^(?=# HELP )/m)) {
      const lines = part.split('\n').filter((line) => line !== '');
      const samples = lines.filter((line) => !line.startsWith('#'));
      const [head = ''] = lines;
      const known = metrics.get(head);
      if (known === undefined) metrics.set(head, lines);
      else known.push(...samples);
    }
  }
  metrics.delete('');
  return `${[...metrics.values()].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
