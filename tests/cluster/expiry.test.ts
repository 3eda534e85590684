import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  createEventsClient,
  watchEvents,
  type EventChange,
  type RelistedNotice,
  type WatchEventsOptions,
} from '../../src/client.js';
import { until } from '../engines/support/waiting.js';
import { eventOf } from './event.js';
import { createKubeApiserver, type KubeApiserver } from './kube-apiserver.js';

const TTL_SECONDS = 20;
const NAMES = Array.from({ length: 10 }, (_, index) => `e-${index}`);

let server: KubeApiserver;
beforeAll(async () => {
  server = await createKubeApiserver(`--event-ttl=${TTL_SECONDS}s`);
  await server.start();
});
afterAll(() => server.remove());

test('watchEvents returns every deletion of events that expire with one lease, at one revision', async () => {
  await server.makeNamespace('shop');
  const transport = server.connect(server.port);
  onTestFinished(() => transport.close());
  const client = createEventsClient({ transport, namespace: 'shop' });
  const ways: readonly WatchEventsOptions['remember'][] = ['versions', 'events', false];
  const seen = ways.map((remember) => {
    const changes: (EventChange | RelistedNotice)[] = [];
    const watched = watchEvents({ client, remember });
    onTestFinished(async () => void (await watched.return?.()));
    void (async () => {
      for await (const change of watched) changes.push(change);
    })();
    return changes;
  });
  // Kubernetes uses a lease for the events of a twentieth of their time to live.
  await Promise.all(NAMES.map((name) => client.create(eventOf(name, 'shop'))));
  const deletions = (changes: readonly (EventChange | RelistedNotice)[]) =>
    changes.filter((change): change is EventChange => change.type === 'deleted');
  await until('all events have expired', () => seen.every((each) => deletions(each).length >= NAMES.length), 120_000);
  for (const changes of seen) {
    const deleted = deletions(changes);
    expect(new Set(deleted.map(({ event }) => event.metadata.resourceVersion)).size).toBeLessThan(NAMES.length);
    expect(deleted.map(({ event }) => event.metadata.name).sort()).toEqual(NAMES);
    expect(deleted.filter((change) => 'missed' in change)).toEqual([]);
    expect(changes.map(({ type }) => type)).not.toContain('updated');
  }
});
