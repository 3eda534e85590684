// Records the input of a comparison with this package's recorder: see main.ts. The same flags as client-go/main.go.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createEventsClient, createRecorder, kubeconfigTransport } from '../../src/client.js';

const text = { type: 'string', default: '' } as const;
const { values } = parseArgs({
  options: { kubeconfig: text, namespace: text, objects: text, notes: text, burst: text, bursts: text, pause: text },
});
const [objects, notes, burst, bursts] = [values.objects, values.notes, values.burst, values.bursts].map(Number) as [
  number,
  number,
  number,
  number,
];
const { kubeconfig: path, namespace } = values;

const transport = await kubeconfigTransport({ path });
let requests = 0;
const events = createEventsClient({
  transport: {
    ...transport,
    handle(request) {
      requests += 1;
      return transport.handle(request);
    },
  },
  timeoutMs: 5_000,
});
const recorder = createRecorder({
  events,
  reportingController: 'example.com/comparison',
  rateLimit: false,
  observe: () => undefined,
});

const began = performance.now();
for (let number = 0, from = 0; number < bursts; number++) {
  for (const end = from + burst; from < end; from++) {
    const object = from % objects;
    recorder.event({
      regarding: {
        apiVersion: 'v1',
        kind: 'Pod',
        namespace,
        name: `pod-${object}`,
        uid: `00000000-0000-4000-8000-${String(object).padStart(12, '0')}`,
      },
      reason: 'Tested',
      action: 'Test',
      note: `note ${Math.floor(from / objects) % notes}`,
    });
  }
  // A Go duration such as `5ms`, as the program with client-go takes it.
  await pause(Number(values.pause.replace('ms', '')));
}
const recordedMs = performance.now() - began;
await recorder.flush({ signal: AbortSignal.timeout(300_000) });
const lastMs = performance.now() - began;
await recorder.close();
await transport.close();
const { user, system } = process.cpuUsage();
const { dropped } = recorder.stats();
process.stdout.write(
  `${JSON.stringify({
    recordedMs: Math.round(recordedMs),
    lastMs: Math.round(lastMs),
    cpuMs: Math.round((user + system) / 1_000),
    requests,
    rssMb: Math.round(process.resourceUsage().maxRSS / 1_024),
    dropped: Object.values(dropped).reduce((sum, count) => sum + count, 0),
  })}\n`,
);
