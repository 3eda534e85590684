import { createEventsClient, createRecorder, httpTransport, watchEvents, type Recorder } from 'kube-vitals/client';
import type { Target } from '../protocol.js';
import { eachInFlight, NAMESPACE, type EventBody, type HeldResult, type Library } from './contract.js';

const recordOne = (recorder: Recorder, { regarding, reason, action, note }: EventBody): void =>
  recorder.event({ regarding, reason, action, note });

async function iterate(source: AsyncIterable<unknown>, count: number): Promise<void> {
  let received = 0;
  for await (const _ of source) {
    received += 1;
    if (received === count) break;
  }
}

/** This package's client and recorder. */
export function kubeVitals({ host, port, base, token }: Target): Library {
  const transport = httpTransport({ server: `http://${host}:${port}`, token });
  const group = base.split('/')[2];
  const client = createEventsClient({ transport, group, namespace: NAMESPACE });
  const recorded = async (record: (recorder: Recorder) => void): Promise<void> => {
    const recorder = createRecorder({ events: client, reportingController: 'example.com/bench', rateLimit: false });
    record(recorder);
    await recorder.close({ signal: AbortSignal.timeout(60_000) });
    const { recorded: all, written } = recorder.stats();
    if (all !== written) throw new Error(`${all - written} of ${all} events were dropped`);
  };
  return {
    record: (bodies) => recorded((recorder) => bodies.forEach((body) => recordOne(recorder, body))),
    recordEqual: (body, times) =>
      recorded((recorder) => {
        for (let count = 0; count < times; count++) recordOne(recorder, body);
      }),
    create: (bodies) => eachInFlight(bodies, (body) => client.create(body)),
    get: (names) => eachInFlight(names, (name) => client.get({ name })),
    watch: (count) => iterate(client.watch({ resourceVersion: '0' }), count),
    follow: (count) => iterate(watchEvents({ client, remember: 'events' }), count),
    close: () => transport.close(),
  };
}

/** The memory of a recorder while its server is unavailable. Needs `--expose-gc`. */
export async function heldByRecorder(bodies: readonly EventBody[]): Promise<HeldResult> {
  // Nothing listens on this port.
  const transport = httpTransport({ server: 'http://127.0.0.1:9' });
  const events = createEventsClient({ transport, namespace: NAMESPACE });
  const recorder = createRecorder({
    ...{ events, reportingController: 'example.com/bench', rateLimit: false, closeTimeoutMs: 0 },
    observe: () => undefined,
  });
  const settled = async (): Promise<NodeJS.MemoryUsage> => {
    for (let turn = 0; turn < 3; turn++) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return process.memoryUsage();
  };
  const before = await settled();
  bodies.forEach((body) => recordOne(recorder, body));
  const after = await settled();
  const { pending } = recorder.stats();
  await recorder.close();
  await transport.close();
  const mb = (key: 'heapUsed' | 'rss'): number => (after[key] - before[key]) / 2 ** 20;
  return { heapMb: mb('heapUsed'), rssMb: mb('rss'), pending };
}
