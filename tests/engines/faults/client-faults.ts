import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createEventsCache,
  createRecorder,
  exportEvents,
  watchEvents,
  type Event,
  type EventChange,
  type EventInput,
  type EventsClient,
  type Recorder,
} from '../../../src/client.js';
import { createRandom, type Random } from '../../random/random.js';
import {
  createDisturbedServer,
  type DisturbedServer,
  type Disturbance,
  type KillableServer,
} from '../support/disturbed-server.js';
import { print, readSettings, testTimeoutMs } from '../support/settings.js';
import { until } from '../support/waiting.js';

const settings = readSettings();
const QUIET: readonly Disturbance[] = ['cut', 'cut', 'swallow', 'delay'];
const KILLS: readonly Disturbance[] = ['kill', 'kill-and-cut'];

/** How often each event was recorded; the key is what makes events equal: object, reason and note. */
type Counts = Map<string, number>;

const keyOf = ({ regarding, reason, note }: Pick<Event, 'reason' | 'note' | 'regarding'>): string =>
  `${regarding?.name} ${reason} ${note}`;

const MAX_PENDING = 5_000;

/** Records bursts of events, equal and different ones about many objects, until it is stopped. */
function recordBursts(recorder: Recorder, random: Random, round: number, counts: Counts) {
  let ended = false;
  let recorded = 0;
  const done = (async () => {
    while (!ended) {
      const size = random.pick([1, 5, 100, 1_000]);
      for (let index = 0; index < size; index++) {
        recorded += 1;
        // Half of them repeat others, the rest are unique.
        const note = random.below(2) === 0 ? `again ${random.below(3)}` : `once ${recorded}`;
        const input = {
          regarding: { kind: 'Order', name: `o-${round}-${random.below(40)}` },
          reason: random.pick(['Paid', 'Packed', 'Sent']),
          action: 'Test',
          note,
        } satisfies EventInput;
        recorder.event(input);
        counts.set(keyOf(input), (counts.get(keyOf(input)) ?? 0) + 1);
      }
      // No more than the server can write meanwhile: a full queue drops events, and reports this.
      do await pause(size + random.below(50));
      while (!ended && recorder.stats().pending > MAX_PENDING);
    }
  })();
  return async (): Promise<number> => {
    ended = true;
    await done;
    return recorded;
  };
}

/** Events about one object that were written in another order than they were recorded. Those that became a series have moved on. */
function outOfOrder(events: readonly Event[]): string[] {
  const last = new Map<string, number>();
  return events
    .filter(({ note }) => note?.startsWith('once'))
    .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
    .flatMap(({ regarding, note = '' }) => {
      const name = regarding?.name ?? '';
      const number = Number(note.slice('once '.length));
      const before = last.get(name) ?? 0;
      last.set(name, number);
      return before < number ? [] : [`${name}: ${before} before ${number}`];
    });
}

/** Disturbs until the server was killed this many times, and for the configured time at least. */
async function disturb({ disturb }: DisturbedServer, random: Random, kills: number): Promise<number> {
  const end = performance.now() + settings.seconds * 1_000;
  let disturbances = 0;
  for (let killed = 0; killed < kills || performance.now() < end; killed++) {
    for (let index = 1 + random.below(4); index > 0; index--) {
      await disturb(random.pick(QUIET));
      disturbances += 1;
      await pause(random.below(150));
    }
    await disturb(random.pick(KILLS));
    await pause(random.below(500));
  }
  return disturbances;
}

/** Name and revision: identifies a version of an event, which no follower may get twice. */
const versionOf = ({ metadata }: Event): string => `${metadata.name} ${metadata.resourceVersion}`;

/**
 * Every version of every event from `resourceVersion` on, in order, up to the revision `last`, read from the server
 * itself.
 */
async function historyOf(
  client: EventsClient,
  namespace: string,
  resourceVersion: string,
  last: string,
): Promise<string[]> {
  const versions: string[] = [];
  for await (const { type, object } of client.watch({ namespace, resourceVersion })) {
    if (type !== 'BOOKMARK') versions.push(versionOf(object));
    if (object.metadata.resourceVersion === last) break;
  }
  return versions;
}

/** An export into an array that is stored together with its cursor, as in one transaction of a database. */
function exportRows(client: EventsClient, namespace: string, first: string) {
  const rows: string[] = [];
  let cursor = first;
  const stopping = new AbortController();
  const sink = {
    cursor: () => cursor,
    write(batch: readonly Event[], next: string) {
      rows.push(...batch.map(versionOf));
      cursor = next;
    },
  };
  const { signal } = stopping;
  const options = { client, namespace, silenceMs: 300, batchMs: 20, observe: () => undefined, sink, signal };
  const done = exportEvents(options);
  return {
    rows,
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

async function pagesOf(client: EventsClient, namespace: string) {
  const pages = [];
  for await (const page of client.list({ namespace, pageSize: 1 }).pages()) pages.push(page);
  return pages;
}

/**
 * Tests that clients lose and repeat nothing while `name`, their server, is killed and the network between them fails.
 */
export function clientFaults(name: string, createServer: () => Promise<KillableServer>): void {
  describe(`for a recorder whose server, ${name}, is killed and cut off,`, () => {
    const random = createRandom(settings.seed);
    let network: DisturbedServer;
    beforeAll(async () => {
      network = await createDisturbedServer(random, await createServer());
    });
    afterAll(() => network.remove());

    it(
      'every event that was recorded is counted once on the server after flush',
      async () => {
        for (let round = 0; round < settings.rounds; round++) {
          const counts: Counts = new Map();
          const recorder = createRecorder({
            events: network.client(2_000),
            reportingController: 'example.com/shop',
            refreshMs: 200,
            // A low limit: series are evicted while they still have something to write.
            maxSeries: 200,
            observe: () => undefined,
          });
          const stop = recordBursts(recorder, random, round, counts);
          const disturbances = await disturb(network, random, 3);
          const recorded = await stop();
          network.heal();
          await recorder.flush({ signal: AbortSignal.timeout(60_000) });

          expect(recorder.stats()).toMatchObject({ recorded, written: recorded, pending: 0 });
          const all = await network.direct().list().toArray();
          const events = all.filter(({ regarding }) => regarding?.name?.startsWith(`o-${round}-`));
          const found: Counts = new Map();
          for (const event of events) {
            found.set(keyOf(event), (found.get(keyOf(event)) ?? 0) + (event.series?.count ?? 1));
          }
          let [lost, doubled] = [0, 0];
          for (const [key, count] of counts) {
            const difference = (found.get(key) ?? 0) - count;
            if (difference < 0) lost -= difference;
            else doubled += difference;
          }
          print(
            `fault recorder ${name} seed=${settings.seed} recorded=${recorded} objects=${events.length} disturbances=${disturbances} ` +
              `lost=${lost} doubled=${doubled}`,
          );
          const foreign = [...found.keys()].filter((key) => !counts.has(key));
          expect({ lost, doubled, foreign }).toEqual({ lost: 0, doubled: 0, foreign: [] });
          expect(outOfOrder(events)).toEqual([]);
          await recorder.close();
        }
      },
      testTimeoutMs(settings),
    );
  });

  describe(`for clients whose server, ${name}, is killed and cut off,`, () => {
    const random = createRandom(settings.seed + 1);
    let network: DisturbedServer;
    beforeAll(async () => {
      network = await createDisturbedServer(random, await createServer());
    });
    afterAll(() => network.remove());

    it(
      'a watch and an export get every version once and in order, and a cache has what the server has',
      async () => {
        for (let round = 0; round < settings.rounds; round++) {
          const namespace = `round-${round}`;
          await network.server.makeNamespace(namespace);
          const client = network.client(2_000);
          const [page] = await pagesOf(network.direct(), namespace);
          const first = page?.resourceVersion ?? '';
          const common = { client, namespace, silenceMs: 300, observe: (): void => undefined };
          const stopping = new AbortController();
          const changes: EventChange[] = [];
          const watching = (async () => {
            const options = { ...common, resourceVersion: first, signal: stopping.signal };
            for await (const change of watchEvents(options)) changes.push(change);
          })();
          const exporting = exportRows(client, namespace, first);
          const cache = createEventsCache(common);

          const recorder = createRecorder({
            ...{ events: client, reportingController: 'example.com/shop', namespace, refreshMs: 100 },
            observe: () => undefined,
          });
          const stop = recordBursts(recorder, random, round, new Map());
          const disturbances = await disturb(network, random, 3);
          await stop();
          network.heal();
          await recorder.flush({ signal: AbortSignal.timeout(60_000) });
          await recorder.close();

          const stored = (await network.direct().list({ namespace }).toArray()).map(versionOf).sort();
          const last = Math.max(...stored.map((version) => Number(version.split(' ')[1])));
          const history = await historyOf(network.direct(), namespace, first, String(last));
          const seen = (): boolean => changes.at(-1)?.position === String(last);
          await until('the watch has seen the last change', seen);
          await until('the export has the last change', () => exporting.rows.length >= history.length);
          const cached = (): string[] => cache.list().map(versionOf).sort();
          await until('the cache is up to date', () => cached().join() === stored.join()).catch(() => undefined);
          stopping.abort();
          await watching;
          await exporting.stop();

          const given = changes.map(({ event }) => versionOf(event));
          print(
            `fault followers ${name} seed=${settings.seed} versions=${history.length} objects=${stored.length} ` +
              `disturbances=${disturbances} watched=${given.length} exported=${exporting.rows.length}`,
          );
          expect(given).toEqual(history);
          expect(exporting.rows).toEqual(history);
          expect(cached()).toEqual(stored);
          await cache.close();
        }
      },
      testTimeoutMs(settings),
    );
  });
}
