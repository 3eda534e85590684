import { describe, expect, onTestFinished, test } from 'vitest';
import { watchEvents, type Event, type EventChange } from '../../src/client.js';
import { memoryStore } from '../../src/index.js';
import { call } from '../../src/testing.js';
import { until } from '../engines/support/waiting.js';
import { network, type Network } from './client-network.js';
import { PATH, type EventsApi } from './events-api.js';

const nameOf = ({ metadata }: Event): string => metadata.name ?? '';

describe('behind a server whose history is shorter than the delay,', () => {
  const SIZE = 200_000;
  const ROUNDS = 2;
  /** More than the ring of the server and the buffers of six sockets hold. */
  const BURST = 180;

  /** Writes more events than the history holds; 20 of them stay until the next round deletes them. */
  async function overrun(api: EventsApi, round: number, stored: Set<string>): Promise<void> {
    const own = api.events.as({ name: 'tester', groups: ['system:masters'] });
    const remove = async (name: string): Promise<void> => {
      expect((await call(own, `DELETE ${PATH}/${name}`)).status).toBe(200);
      stored.delete(name);
    };
    for (const name of [...stored]) await remove(name);
    for (let count = 0; count < BURST; count++) {
      const name = `event-${round}-${count}`;
      expect(await api.create(name, 'x'.repeat(SIZE))).toBe(201);
      stored.add(name);
      if (count >= 20) await remove(name);
    }
  }

  /** Follows until it is stopped; waits for `gate` before each change. */
  function followed(net: Network, gate: () => Promise<void>) {
    const changes: EventChange[] = [];
    const stopping = new AbortController();
    const options = { client: net.client, silenceMs: 300, observe: () => undefined, signal: stopping.signal };
    const running = (async () => {
      for await (const change of watchEvents(options)) {
        changes.push(change);
        await gate();
      }
    })();
    const present = (): string[] => {
      const names = new Set<string>();
      for (const { type, event } of changes) {
        if (type === 'deleted') names.delete(nameOf(event));
        else names.add(nameOf(event));
      }
      return [...names].sort();
    };
    return {
      changes,
      present,
      async stop() {
        stopping.abort();
        await running;
      },
    };
  }

  /** No event is added or deleted twice, and none is deleted that was not added. */
  function expectEachOnce(changes: readonly EventChange[]): void {
    const states = new Map<string, string>();
    for (const { type, event } of changes) {
      const before = states.get(nameOf(event));
      expect([type, before]).toEqual([type, type === 'added' ? undefined : 'added']);
      states.set(nameOf(event), type);
    }
  }

  /** A server whose history holds five changes besides those of its ring. */
  function forgetful(): Promise<Network> {
    const store = memoryStore({ historyMaxBytes: 5 * SIZE });
    onTestFinished(() => store.close());
    return network({ store, observe: () => undefined });
  }

  test('watchEvents reports what it missed while it was cut off', async () => {
    const net = await forgetful();
    const stored = new Set<string>();
    const watch = followed(net, () => Promise.resolve());
    for (let round = 0; round < ROUNDS; round++) {
      net.proxy.swallow();
      await overrun(net.api, round, stored);
      net.proxy.heal();
      const names = [...stored].sort().join();
      await until('the watch has what the server has', () => watch.present().join() === names);
    }
    await watch.stop();
    expectEachOnce(watch.changes);
    expect(watch.changes.filter(({ missed }) => missed).length).toBeGreaterThan(0);
  });

  test('watchEvents reports what it missed while its consumer was busy', async () => {
    const net = await forgetful();
    const stored = new Set<string>();
    let busy = Promise.resolve();
    const watch = followed(net, () => busy);
    for (let round = 0; round < ROUNDS; round++) {
      let done = (): void => undefined;
      busy = new Promise((resolve) => (done = resolve));
      await overrun(net.api, round, stored);
      done();
      const names = [...stored].sort().join();
      await until('the watch has what the server has', () => watch.present().join() === names);
    }
    await watch.stop();
    expectEachOnce(watch.changes);
    expect(watch.changes.filter(({ missed }) => missed).length).toBeGreaterThan(0);
  });
});
