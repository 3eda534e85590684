// Forwards the events of the cluster of your kubeconfig: npx tsx examples/export/main.ts slack https://hooks.slack.com/services/…
import { createEventsClient, defaultTransport, exportEvents, type EventSink } from 'kube-vitals/client';
import { cloudEventsSink } from './cloud-events.js';
import { cursorFile } from './cursor-file.js';
import { journalSink } from './journal.js';
import { openTelemetrySink } from './open-telemetry.js';
import { slackSink } from './slack.js';
import { webhookSink } from './webhook.js';

const [kind = '', target = ''] = process.argv.slice(2);
const cursor = cursorFile(process.env['CURSOR_FILE'] ?? `./events-${kind}.cursor`);
const sinks: Readonly<Record<string, () => EventSink | Promise<EventSink>>> = {
  webhook: () => webhookSink({ url: target }, cursor),
  cloudevents: () => cloudEventsSink({ url: target, source: 'https://events.example.com' }, cursor),
  otlp: () => openTelemetrySink({ url: target, serviceName: 'kubernetes-events' }, cursor),
  slack: () => slackSink({ url: target }, cursor),
  journal: () => journalSink(target),
};
const makeSink = sinks[kind];
if (makeSink === undefined || target === '') {
  console.error(`usage: main.ts ${Object.keys(sinks).join('|')} TARGET`);
  process.exit(2);
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
const transport = await defaultTransport();
const client = createEventsClient({ transport });
const sink = await makeSink();
await exportEvents({
  ...{ client, sink, namespace: null, signal: stopping.signal },
  // Chats are read by people.
  ...(kind === 'slack' && { fieldSelector: 'type=Warning', batchMs: 5_000, batchSize: 20 }),
});
await transport.close();
