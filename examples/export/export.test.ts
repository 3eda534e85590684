import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { allowAnonymous, allowEverybody, createEvents, memoryStore, type Events } from 'kube-vitals';
import { createEventsClient, exportEvents, type Event, type EventsClient, type EventSink } from 'kube-vitals/client';
import { cloudEventsSink } from './cloud-events.js';
import { cursorFile } from './cursor-file.js';
import { journalSink } from './journal.js';
import { openTelemetrySink } from './open-telemetry.js';
import { slackSink } from './slack.js';
import { webhookSink } from './webhook.js';

interface Received {
  readonly type: string | undefined;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- bodies of four formats
  readonly body: any;
}

let events: Events;
let client: EventsClient;
let folder: string;
let receiver: Server;
let url: string;
let received: Received[];
/** What the receiver responds with; then 200. */
let statuses: number[];

beforeEach(async () => {
  const access = { authenticate: allowAnonymous(), authorize: allowEverybody() };
  events = createEvents({ apiDomain: 'example.com', store: memoryStore(), ...access });
  client = createEventsClient({ events, namespace: 'shop' });
  folder = await mkdtemp(join(tmpdir(), 'kube-vitals-export-'));
  received = [];
  statuses = [];
  receiver = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const status = statuses.shift() ?? 200;
      if (status === 200) received.push({ type: request.headers['content-type'], body: JSON.parse(text) });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
});

afterEach(async () => {
  await events.close();
  receiver.closeAllConnections();
  receiver.close();
  await rm(folder, { recursive: true });
});

const record = (name: string, more: Partial<Event> = {}): Promise<Event> =>
  client.create({
    metadata: { name, namespace: 'shop' },
    eventTime: '2026-01-02T03:04:05.678901Z',
    reportingController: 'example.com/shop',
    reportingInstance: 'shop-1',
    action: 'Charge',
    reason: 'Paid',
    type: 'Normal',
    regarding: { kind: 'Order', namespace: 'shop', name: 'o-1' },
    note: `note of ${name}`,
    ...more,
  });

/** Exports until `isDone`. */
async function run(sink: EventSink, isDone: () => boolean): Promise<void> {
  const stopping = new AbortController();
  const done = exportEvents({ client, sink, batchMs: 20, observe: () => undefined, signal: stopping.signal });
  for (let tries = 0; !isDone() && tries < 500; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  // What comes too often comes now.
  await new Promise((resolve) => setTimeout(resolve, 50));
  stopping.abort();
  await done;
  assert.ok(isDone(), 'it was not exported in time');
}

const cursor = () => cursorFile(join(folder, 'cursor'));

describe('an export', () => {
  test('posts batches to a webhook, again after an error, and goes on behind its cursor', async () => {
    await record('a');
    await record('b');
    statuses = [503];
    await run(webhookSink({ url }, cursor()), () => received.length > 0);
    await record('c');
    await run(webhookSink({ url }, cursor()), () => received.length > 1);
    const names = received.map(({ body }) => body.events.map(({ metadata }: Event) => metadata.name));
    assert.deepEqual(names, [['a', 'b'], ['c']]);
    assert.equal(received[1]?.body.cursor, received[1]?.body.events[0].metadata.resourceVersion);
  });

  test('leaves out what a receiver refuses for good', async () => {
    await record('a');
    statuses = [422];
    const refused: number[] = [];
    const sink = webhookSink({ url, onRefused: (status) => refused.push(status) }, cursor());
    await run(sink, () => refused.length > 0);
    assert.deepEqual([refused, received.length], [[422], 0]);
  });

  test('posts CloudEvents in structured mode', async () => {
    const stored = await record('a');
    await run(cloudEventsSink({ url, source: 'https://shop.example.com' }, cursor()), () => received.length > 0);
    const [{ type, body } = { type: '', body: {} }] = received;
    assert.equal(type, 'application/cloudevents+json');
    const { data, ...context } = body;
    assert.deepEqual(context, {
      specversion: '1.0',
      id: `${stored.metadata.uid}@${stored.metadata.resourceVersion}`,
      source: 'https://shop.example.com',
      type: 'io.k8s.events.v1.Normal',
      subject: 'Order/shop/o-1',
      time: '2026-01-02T03:04:05.678901Z',
      datacontenttype: 'application/json',
    });
    assert.equal(data.note, 'note of a');
  });

  test('posts log records of OpenTelemetry', async () => {
    const lastObservedTime = '2026-01-02T03:04:06.000001Z';
    await record('a', { type: 'Warning', series: { count: 3, lastObservedTime } });
    await run(openTelemetrySink({ url, serviceName: 'shop' }, cursor()), () => received.length > 0);
    const [{ resource, scopeLogs }] = received[0]?.body.resourceLogs ?? [];
    assert.deepEqual(resource, { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] });
    const [{ attributes, ...rest }] = scopeLogs[0].logRecords;
    assert.deepEqual(rest, {
      timeUnixNano: '1767323046000001000',
      severityNumber: 13,
      severityText: 'WARN',
      body: { stringValue: 'note of a' },
    });
    const values = Object.fromEntries(attributes.map(({ key, value }: { key: string; value: object }) => [key, value]));
    assert.deepEqual(values['k8s.event.count'], { intValue: '3' });
    assert.deepEqual(values['k8s.object.name'], { stringValue: 'o-1' });
  });

  test('posts lines to a chat, in which nothing is markup', async () => {
    await record('a', { note: '<!channel> & more\n' });
    await run(slackSink({ url }, cursor()), () => received.length > 0);
    assert.deepEqual(received[0]?.body, {
      text: ':information_source: *Paid* Order/o-1: &lt;!channel&gt; &amp; more',
    });
  });

  test('writes a journal with every event exactly once, also after a torn write', async () => {
    const path = join(folder, 'journal');
    const lines = async (): Promise<string[]> => (await readFile(path, 'utf8')).trimEnd().split('\n');
    for (const name of ['a', 'b', 'c']) {
      await record(name);
      const sink = await journalSink(path);
      let written = 0;
      const counting: EventSink = {
        cursor: () => sink.cursor?.(),
        async write(...batch) {
          await sink.write(...batch);
          written++;
        },
      };
      await run(counting, () => written > 0);
      await sink.close();
      await appendFile(path, '{"cursor":"9999');
    }
    const sink = await journalSink(path);
    await sink.close();
    const names = (await lines()).flatMap((line) =>
      JSON.parse(line).events.map(({ metadata }: Event) => metadata.name),
    );
    assert.deepEqual(names, ['a', 'b', 'c']);
  });
});
