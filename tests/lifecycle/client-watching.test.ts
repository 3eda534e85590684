import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEventsCache, exportEvents, watchEvents, type Event, type EventChange } from '../../src/client.js';
import { until } from '../engines/support/waiting.js';
import { network, type Network } from './client-network.js';
import { gate } from './support.js';

/** Writes events in bursts while the network is disturbed; resolves with the names, in the order of writing. */
async function disturbed({ api, proxy, restart }: Network): Promise<string[]> {
  const names: string[] = [];
  const burst = async (): Promise<void> => {
    for (let count = 0; count < 40; count++) {
      // Padded, because lists are ordered by name.
      const name = `event-${String(names.length).padStart(4, '0')}`;
      expect(await api.create(name)).toBe(201);
      names.push(name);
      if (count % 10 === 0) await pause(1);
    }
  };
  for (let round = 0; round < 3; round++) {
    await burst();
    proxy.cut();
    await burst();
    proxy.swallow();
    await burst();
    await pause(250);
    proxy.heal();
    await burst();
    await restart();
    await burst();
  }
  return names;
}

const nameOf = ({ metadata }: Event): string => metadata.name ?? '';

describe('behind a network that loses connections and bytes,', () => {
  test('watchEvents delivers every event once and in order', async () => {
    const net = await network();
    const changes: EventChange[] = [];
    const stopping = new AbortController();
    const running = (async () => {
      const options = { client: net.client, silenceMs: 200, observe: () => undefined, signal: stopping.signal };
      for await (const change of watchEvents(options)) changes.push(change);
    })();
    const names = await disturbed(net);
    await until('every event has arrived', () => changes.length >= names.length);
    await pause(300);
    stopping.abort();
    await running;
    expect(changes.map(({ type }) => type)).toEqual(names.map(() => 'added'));
    expect(changes.map((change) => nameOf(change.event))).toEqual(names);
  });

  test('exportEvents writes every event once, although the sink fails and the export is restarted', async () => {
    const net = await network();
    const rows: string[] = [];
    let stored: string | undefined;
    let writes = 0;
    const start = (): (() => Promise<void>) => {
      const stopping = new AbortController();
      const done = exportEvents({
        ...{ client: net.client, silenceMs: 200, batchSize: 50, batchMs: 20, signal: stopping.signal },
        observe: () => undefined,
        sink: {
          cursor: () => stored,
          async write(batch, cursor) {
            writes += 1;
            if (writes % 5 === 1) throw new Error('away');
            await pause(1);
            rows.push(...batch.map(nameOf));
            stored = cursor;
            if (writes % 5 === 3) throw new Error('the answer was lost');
          },
        },
      });
      return async () => {
        stopping.abort();
        await done;
      };
    };
    let stop = start();
    const restarting = (async () => {
      for (let round = 0; round < 5; round++) {
        await pause(150);
        await stop();
        stop = start();
      }
    })();
    const names = await disturbed(net);
    await restarting;
    await until('every event is exported', () => rows.length >= names.length);
    await stop();
    expect(rows).toEqual(names);
  });

  test('a cache ends up with every event of the server', async () => {
    const net = await network();
    const cache = createEventsCache({
      ...{ client: net.client, silenceMs: 200, observe: () => undefined },
      indexers: { byPod: ({ regarding }) => regarding?.name },
    });
    onTestFinished(() => cache.close());
    await cache.synced;
    const names = await disturbed(net);
    await until('every event is in the cache', () => cache.size() === names.length);
    expect(cache.byIndex('byPod', 'web-1').map(nameOf)).toEqual(names);
  });

  test('the client of a slow consumer stops reading, and the consumer misses nothing', async () => {
    const watched = gate();
    const net = await network({
      authorize(_caller, { verb }) {
        if (verb === 'watch') watched.open();
        return { allowed: true };
      },
    });
    const changes = watchEvents({ client: net.client, since: 'now' });
    onTestFinished(async () => void (await changes.return?.()));
    const first = changes.next();
    // The revision that counts as now has been read.
    await watched.promise;
    const large = 'x'.repeat(200_000);
    for (let count = 0; count < 200; count++) expect(await net.api.create(`large-${count}`, large)).toBe(201);
    expect((await first).value.event.metadata.name).toBe('large-0');
    await pause(300);
    // Of 40 MB only what the client keeps in memory; the buffers of sockets may take any part of the rest.
    expect(net.received()).toBeGreaterThan(200_000);
    expect(net.received()).toBeLessThan(4_000_000);
    const names: string[] = [];
    for (let count = 1; count < 200; count++) names.push(nameOf((await changes.next()).value.event));
    expect(names).toEqual(Array.from({ length: 199 }, (_, count) => `large-${count + 1}`));
  });
});
