import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createMetricsRelay, mergeMetrics, shareRegistry } from '../../../../src/cli/serve/worker-metrics.js';
import type { WorkerProcess } from '../../../../src/cli/serve/supervisor.js';
import type { FromWorker, MetricsFromWorker, ToWorker } from '../../../../src/cli/serve/worker-messages.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

/** Workers with a gauge each, and the relay between them. */
function connect(count: number, { silent = [] as readonly number[], isConnected = true } = {}) {
  const clock = fakeClock();
  let prints = 0;
  const relay = createMetricsRelay(count, clock);
  const processes = new Map<number, WorkerProcess>();
  const registries = Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const listeners: ((message: ToWorker) => void)[] = [];
    processes.set(number, {
      kill: () => undefined,
      send(message) {
        if (!silent.includes(number)) for (const listener of listeners) listener(message);
      },
    });
    const registry = new Registry();
    new Gauge({
      name: 'events',
      help: 'How many there are.',
      labelNames: ['kind'],
      registers: [registry],
      collect: () => void (prints += 1),
    }).set({ kind: 'a' }, number * 10);
    const send = async (message: FromWorker): Promise<boolean> => {
      if (isConnected) relay(number, message as MetricsFromWorker, processes);
      return isConnected;
    };
    return shareRegistry(number, { send, onMessage: (listener) => void listeners.push(listener) }, clock)(registry);
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { clock, processes, settle, prints: () => prints, first: registries[0] as (typeof registries)[number] };
}

describe('the metrics of several workers', () => {
  it('are those of each, distinguished by a label, below one HELP and one TYPE', async () => {
    const { first } = connect(2);
    expect(await first.metrics()).toBe(
      [
        '# HELP events How many there are.',
        '# TYPE events gauge',
        'events{kind="a",worker="1"} 10',
        'events{kind="a",worker="2"} 20',
        '',
        '# HELP kube_vitals_worker_up 1 if the worker has responded to this scrape.',
        '# TYPE kube_vitals_worker_up gauge',
        'kube_vitals_worker_up{worker="1"} 1',
        'kube_vitals_worker_up{worker="2"} 1',
        '',
      ].join('\n'),
    );
  });

  it('can be requested by name', async () => {
    const { first } = connect(2);
    first.registerMetric(new Gauge({ name: 'others', help: 'How many others.', registers: [] }) as never);
    const text = await first.getSingleMetricAsString('events');
    expect(text.match(/^events\{/gm)).toHaveLength(2);
    expect(text).not.toMatch(/worker_up|others/);
  });

  it('ignore a response that comes after the scrape', () => {
    const relay = createMetricsRelay(1, fakeClock());
    expect(() => relay(1, { type: 'metrics.response', id: 1, text: '' }, new Map())).not.toThrow();
  });

  it('leave out a worker that does not respond within two seconds, and report this', async () => {
    const { first, clock, settle } = connect(3, { silent: [2] });
    const asked = first.metrics();
    await settle();
    clock.advance(1_999);
    await settle();
    expect(await Promise.race([asked, Promise.resolve('waiting')])).toBe('waiting');
    clock.advance(1);
    const text = await asked;
    expect(text.match(/^events\{.*/gm)).toEqual(['events{kind="a",worker="1"} 10', 'events{kind="a",worker="3"} 30']);
    expect(text).toContain('kube_vitals_worker_up{worker="2"} 0');
  });

  it('report a worker that waits to be started again, without waiting for it', async () => {
    const { first, processes } = connect(3);
    processes.delete(2);
    const text = await first.metrics();
    expect(text.match(/^kube_vitals_worker_up\{.*/gm)).toEqual([
      'kube_vitals_worker_up{worker="1"} 1',
      'kube_vitals_worker_up{worker="2"} 0',
      'kube_vitals_worker_up{worker="3"} 1',
    ]);
  });

  it('are those of the scraped worker alone where the primary has ended, or does not respond', async () => {
    const alone = ['events{kind="a",worker="1"} 10'];
    const left = connect(2, { isConnected: false });
    expect((await left.first.metrics()).match(/^events\{.*/gm)).toEqual(alone);
    const { first, processes, clock, settle } = connect(2);
    processes.clear();
    const asked = first.metrics();
    await settle();
    clock.advance(4_000);
    expect((await asked).match(/^events\{.*/gm)).toEqual(alone);
  });

  it('are collected for several scrapes at once, which each worker prints once', async () => {
    const { first, prints } = connect(2);
    const texts = await Promise.all([first.metrics(), first.metrics(), first.metrics()]);
    expect(new Set(texts).size).toBe(1);
    expect(prints()).toBe(2);
  });
});

describe('mergeMetrics', () => {
  it('keeps what only one text has, and its order', () => {
    const text = mergeMetrics(['# HELP a A.\n# TYPE a counter\na 1\n\n# HELP b B.\n# TYPE b gauge\nb 2\n', '']);
    expect(text).toBe('# HELP a A.\n# TYPE a counter\na 1\n\n# HELP b B.\n# TYPE b gauge\nb 2\n');
  });

  it('leaves a label value that looks like a comment', () => {
    const text = '# HELP a A.\n# TYPE a counter\na{reason="x\\n# HELP a A."} 1\n';
    expect(mergeMetrics([text, text]).match(/^a\{/gm)).toHaveLength(2);
  });
});
