import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createEventsCache,
  createEventsClient,
  createRecorder,
  isAlreadyExists,
  isConflict,
  isExpired,
  isInvalid,
  isNotFound,
  kubeconfigTransport,
  watchEvents,
  type EventsClient,
} from '../../src/client.js';
import { until } from '../engines/support/waiting.js';
import { eventOf } from './event.js';
import { createKubeApiserver, type KubeApiserver } from './kube-apiserver.js';

const run = promisify(execFile);
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

let server: KubeApiserver;
beforeAll(async () => {
  server = await createKubeApiserver();
  await server.start();
});
afterAll(() => server.remove());

/** A client of a namespace of its own. */
async function clientIn(namespace: string): Promise<EventsClient> {
  await server.makeNamespace(namespace);
  const transport = server.connect(server.port);
  onTestFinished(() => transport.close());
  return createEventsClient({ transport, namespace });
}

describe('a client with a kubeconfig', () => {
  const ways: Record<string, () => Promise<object>> = {
    'a token': () => Promise.resolve({ token: server.token }),
    async 'a token in a file'() {
      const tokenFile = join(server.directory, 'token');
      await writeFile(tokenFile, server.token);
      return { tokenFile };
    },
    async 'a client certificate'() {
      const { cert, key } = server.certificates;
      const base64 = (text: string): string => Buffer.from(text).toString('base64');
      return Promise.resolve({ 'client-certificate-data': base64(cert), 'client-key-data': base64(key) });
    },
    async 'a program that prints a credential'() {
      const apiVersion = 'client.authentication.k8s.io/v1';
      const credential = { apiVersion, kind: 'ExecCredential', status: { token: server.token } };
      const script = `console.log(${JSON.stringify(JSON.stringify(credential))})`;
      const exec = { apiVersion, command: process.execPath, args: ['-e', script], interactiveMode: 'Never' };
      return Promise.resolve({ exec });
    },
  };
  test.each(Object.keys(ways))('is authenticated by kube-apiserver with %s', async (way) => {
    const user = await (ways[way] as () => Promise<object>)();
    const path = await server.writeKubeconfig(way.replaceAll(' ', '-'), user, 'default');
    const transport = await kubeconfigTransport({ path });
    onTestFinished(() => transport.close());
    const client = createEventsClient({ transport });
    // kube-apiserver itself may have written events of its own.
    await expect(client.list({ fieldSelector: 'reason=Tested' }).toArray()).resolves.toEqual([]);
    await expect(client.get({ name: 'none' })).rejects.toSatisfy(isNotFound);
  });
});

describe('the client of events against kube-apiserver', () => {
  test('every verb works, and 404, 409 and 422 are recognised', async () => {
    const client = await clientIn('verbs');
    const created = await client.create(eventOf('a', 'verbs'));
    await expect(client.create({ ...eventOf('a', 'verbs'), note: 'other' })).rejects.toSatisfy(isAlreadyExists);
    await expect(client.create({ ...eventOf('b', 'verbs'), reason: '' })).rejects.toSatisfy(isInvalid);
    expect(await client.get({ name: 'a' })).toEqual(created);

    const series = { count: 2, lastObservedTime: '2026-03-05T06:07:09.123456Z' };
    const updated = await client.update({ ...created, series });
    expect(updated.series).toEqual(series);
    await expect(client.update({ ...created, series })).rejects.toSatisfy(isConflict);

    const at = { name: 'a' };
    await client.patch(at, { type: 'merge', patch: { metadata: { labels: { merge: 'yes' } } } });
    await client.patch(at, { type: 'strategic', patch: { metadata: { labels: { strategic: 'yes' } } } });
    await client.patch(at, { type: 'json', patch: [{ op: 'add', path: '/metadata/labels/json', value: 'yes' }] });
    const labels = { merge: 'yes', strategic: 'yes', json: 'yes' };
    expect((await client.get(at)).metadata.labels).toEqual(labels);
    const applied = { apiVersion: 'events.k8s.io/v1', kind: 'Event', ...eventOf('applied', 'verbs') };
    const owner = await client.patch({ name: 'applied' }, { type: 'apply', patch: applied });
    expect(owner.metadata.managedFields?.map(({ operation }) => operation)).toEqual(['Apply']);

    const foreign = { uid: '00000000-0000-0000-0000-000000000000' };
    await expect(client.delete(at, foreign)).rejects.toSatisfy(isConflict);
    await client.delete(at, { uid: created.metadata.uid });
    await expect(client.get(at)).rejects.toSatisfy(isNotFound);
    await client.deleteCollection({ fieldSelector: 'reason=Tested' });
    expect(await client.list().toArray()).toEqual([]);
  });

  test('a list is read page by page, with selectors, and a watch begins with the events that exist', async () => {
    const client = await clientIn('lists');
    for (let index = 0; index < 25; index++) {
      const name = `e-${String(index).padStart(2, '0')}`;
      await client.create({ ...eventOf(name, 'lists'), type: index % 5 === 0 ? 'Warning' : 'Normal' });
    }
    const names = (await client.list({ pageSize: 7 }).toArray()).map(({ metadata }) => metadata.name);
    expect(names).toEqual([...names].sort());
    expect(names).toHaveLength(25);
    expect(await client.list({ fieldSelector: 'type=Warning' }).toArray()).toHaveLength(5);
    const frames: string[] = [];
    for await (const { type } of client.watch({ sendInitialEvents: true })) {
      frames.push(type);
      if (type === 'BOOKMARK') break;
    }
    expect(frames).toEqual([...Array<string>(25).fill('ADDED'), 'BOOKMARK']);
  });
});

test('a recorder writes 10,000 events of one burst as series, and creates a series again that was deleted', async () => {
  const client = await clientIn('recorded');
  const recorder = createRecorder({ events: client, reportingController: 'example.com/shop' });
  onTestFinished(() => recorder.close());
  const record = (number: number): void =>
    recorder.event({ regarding: { kind: 'Order', name: `o-${number % 50}` }, reason: 'Paid', action: 'Charge' });
  for (let index = 0; index < 10_000; index++) record(index);
  await recorder.flush({ signal: AbortSignal.timeout(60_000) });
  expect(recorder.stats()).toMatchObject({ written: 10_000, pending: 0 });
  const counts = async (): Promise<number[]> =>
    (await client.list().toArray()).map(({ series }) => series?.count ?? 1).sort((a, b) => a - b);
  expect(await counts()).toEqual(Array<number>(50).fill(200));

  await client.deleteCollection({});
  for (let index = 0; index < 50; index++) record(index);
  await recorder.flush({ signal: AbortSignal.timeout(60_000) });
  expect(recorder.stats()).toMatchObject({ written: 10_050, pending: 0 });
  expect(await client.list().toArray()).toHaveLength(50);
});

test('watchEvents and a cache find by a list what they missed before a compaction, and a watch from before it is expired', async () => {
  const client = await clientIn('compacted');
  await client.create(eventOf('stays', 'compacted'));
  const gone = await client.create(eventOf('goes', 'compacted'));
  const old = gone.metadata.resourceVersion;

  const seen: string[] = [];
  const stopping = new AbortController();
  const watching = (async () => {
    for await (const { type, event } of watchEvents({ client, signal: stopping.signal })) {
      seen.push(`${type} ${event.metadata.name}`);
    }
  })();
  const cache = createEventsCache({ client });
  onTestFinished(() => cache.close());
  await until('both events were seen', () => seen.length === 2 && cache.list().length === 2);

  await server.kill();
  server.etcd.ctl('del', '/registry/events/compacted/goes');
  // etcd still serves the revision it is compacted at: it must be a later one than that of the deletion.
  server.etcd.ctl('put', '/elsewhere', '');
  const status = JSON.parse(server.etcd.ctl('endpoint', 'status', '-w', 'json')) as [
    { Status: { header: { revision: number } } },
  ];
  server.etcd.ctl('compact', String(status[0].Status.header.revision));
  await server.start();
  await client.create(eventOf('comes', 'compacted'));
  await until('the watch showed the deletion and the new event', () => seen.length === 4);
  expect(seen.slice(0, 2).sort()).toEqual(['added goes', 'added stays']);
  expect(seen.slice(2).sort()).toEqual(['added comes', 'deleted goes']);
  // The cache follows by itself, and may be later than the watch.
  const cached = (): (string | undefined)[] => cache.list().map(({ metadata }) => metadata.name);
  await until('the cache shows them, too', () => cached().sort().join() === 'comes,stays');
  stopping.abort();
  await watching;

  const refused = (async () => {
    for await (const frame of client.watch({ resourceVersion: old })) return frame;
    return undefined;
  })();
  await expect(refused).rejects.toSatisfy(isExpired);
});

test('kube-vitals events shows the events of a cluster that kubectl events shows', async () => {
  const client = await clientIn('shown');
  for (const name of ['a', 'b']) await client.create({ ...eventOf(name, 'shown'), note: `note of ${name}` });
  const kubeconfig = await server.writeKubeconfig('shown', { token: server.token }, 'shown');
  const ours = await run(process.execPath, [cli, 'events', '--kubeconfig', kubeconfig]);
  const theirs = await run('kubectl', ['--kubeconfig', kubeconfig, 'events']);
  const rows = (text: string): string[] =>
    text
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\S+\s+/, '').replaceAll(/\s+/g, ' '))
      .sort();
  expect(ours.stderr).toBe('');
  expect(rows(ours.stdout).slice(-2)).toEqual(rows(theirs.stdout).slice(-2));
  expect(ours.stdout).toContain('note of a');
});
