import { getEventListeners } from 'node:events';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  connectionError,
  createEventsClient,
  createRecorder,
  httpTransport,
  isStatusError,
  type EventInput,
  type Recorder,
} from '../../../../src/client.js';
import type { RecorderOptions } from '../../../../src/client.js';
import type { ApiHandler } from '../../../../src/http/handler.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { Observation } from '../../../../src/index.js';
import { fakeClock } from '../../../../src/testing.js';
import { collectGarbage, heapGrowth } from '../../../collect-garbage.js';
import { countKeepAliveTimers } from '../keep-alive-timers.js';
import { served } from '../served.js';
import type { RecorderClient } from '../../../../src/client/recorder/options.js';
import { fakeServer, type Outcome } from './fake-server.js';

const paid: EventInput = { regarding: { kind: 'Order', name: 'o-1' }, reason: 'Paid', action: 'Charge', note: 'tea' };

function setUp(
  options: Partial<RecorderOptions> = {},
  outcomeOf?: (request: { verb: string; name: string }) => Outcome,
) {
  const clock = fakeClock();
  const server = fakeServer(outcomeOf);
  const observations: Observation[] = [];
  const recorder = createRecorder({
    events: server.client,
    reportingController: 'example.com/shop',
    reportingInstance: 'shop-0',
    observe: (observation) => void observations.push(observation),
    clock,
    ...options,
  });
  return { clock, server, recorder, observations };
}

/** A recorder loads it at its first failure, which takes more turns than the tests wait. */
beforeAll(() => import('../../../../src/client/recorder/activity-reporter.js'));

/** Moves the clock on until the promise is settled. */
async function whileTimePasses<T>(clock: { advance(ms: number): void }, promise: Promise<T>, ms = 1_000): Promise<T> {
  let settled = false;
  const done = (): void => void (settled = true);
  promise.then(done, done);
  for (let steps = 0; !settled && steps < 100_000; steps++) {
    await nextTurn();
    if (!settled && steps % 8 === 7) clock.advance(ms);
  }
  return promise;
}

const NEVER = { retries: 0 };
const ONCE = { retries: 1 };

const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await nextTurn();
};

describe('an event', () => {
  it('is created in full, in the namespace of its object', async () => {
    const { server, recorder } = setUp();
    recorder.event({
      ...paid,
      regarding: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1', namespace: 'shop', uid: 'u-1' } },
      related: { kind: 'Order', name: 'o-1' },
      labels: { app: 'shop' },
      annotations: { 'example.com/trace': 'abc' },
    });
    await recorder.flush();
    const [event] = server.events();
    expect(event).toEqual({
      metadata: {
        namespace: 'shop',
        name: expect.stringMatching(/^web-1\.[0-9a-f]{16}$/),
        labels: { app: 'shop' },
        annotations: { 'example.com/trace': 'abc' },
        resourceVersion: '1',
      },
      eventTime: '2024-01-01T00:00:00.000000Z',
      reportingController: 'example.com/shop',
      reportingInstance: 'shop-0',
      action: 'Charge',
      reason: 'Paid',
      regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'u-1', apiVersion: 'v1' },
      related: { kind: 'Order', name: 'o-1', apiVersion: 'example.com/v1', namespace: 'default' },
      note: 'tea',
      type: 'Normal',
    });
  });

  it('is about the service when it names nothing, and about an object of the own group by default', async () => {
    const { server, recorder } = setUp({ namespace: 'shop' });
    recorder.event({ reason: 'Started', action: 'Start' });
    recorder.event({ ...paid, regarding: { kind: 'Order', name: 'Ä 1' } });
    await recorder.flush();
    for (const { metadata } of server.events()) expect(metadata).not.toHaveProperty('labels');
    expect(server.events().map(({ regarding, metadata }) => [regarding, metadata.name?.split('.')[0]])).toEqual([
      [{ kind: 'Service', name: 'shop', apiVersion: 'example.com/v1', namespace: 'shop' }, 'shop'],
      [{ kind: 'Order', name: 'Ä 1', apiVersion: 'example.com/v1', namespace: 'shop' }, '1'],
    ]);
  });

  it('about an object of no namespace goes to the namespace default, as client-go has it', async () => {
    const { server, recorder } = setUp({ namespace: 'shop' });
    recorder.event({ ...paid, regarding: { apiVersion: 'v1', kind: 'Node', name: 'n-1' } });
    await recorder.flush();
    expect(server.events()[0]).toMatchObject({ metadata: { namespace: 'default' }, regarding: { name: 'n-1' } });
    expect(server.events()[0]?.regarding).not.toHaveProperty('namespace');
  });

  it('is copied: what the caller changes afterwards changes nothing', async () => {
    const { server, recorder } = setUp();
    const regarding = { kind: 'Order', name: 'o-1' };
    const labels = { app: 'shop' };
    const input = { ...paid, regarding, labels };
    recorder.event(input);
    regarding.name = labels.app = input.reason = 'changed';
    await recorder.flush();
    expect(server.events()[0]).toMatchObject({
      reason: 'Paid',
      regarding: { name: 'o-1' },
      metadata: { labels: { app: 'shop' } },
    });
  });

  it('has its note shortened between two characters, with a mark', async () => {
    const { server, recorder } = setUp();
    recorder.event({ ...paid, note: 'x'.repeat(1_024) });
    recorder.event({ ...paid, note: `${'x'.repeat(1_019)}😀😀` });
    recorder.event({ ...paid, note: 'half \ud83d of a pair' });
    await recorder.flush();
    const notes = server.events().map(({ note }) => note);
    expect(notes).toEqual(['x'.repeat(1_024), `${'x'.repeat(1_019)}…`, 'half \ufffd of a pair']);
    for (const note of notes) expect(Buffer.byteLength(note as string)).toBeLessThanOrEqual(1_024);
  });

  it('is written by flush and close with null for the options', async () => {
    const { server, recorder } = setUp();
    recorder.event(paid);
    await recorder.flush(null as never);
    recorder.event({ ...paid, reason: 'Refunded' });
    await recorder.close(null as never);
    expect(server.events().map(({ reason }) => reason)).toEqual([paid.reason, 'Refunded']);
  });

  it('is accepted by the server, whatever its object is called', async () => {
    const events = served();
    const recorder = createRecorder({ events, reportingController: 'example.com/shop', namespace: 'shop' });
    const names = ['web-1', 'A_b', '...', '-a.-b-', 'ü'.repeat(400), 'x'.repeat(1_000), '"/\\%', 'a..b', '💥'];
    for (const name of names) recorder.event({ ...paid, regarding: { kind: 'Order', name } });
    recorder.event({ ...paid, regarding: { apiVersion: 'v1', kind: 'Node', name: 'n-1' } });
    await recorder.close();
    expect(recorder.stats()).toMatchObject({ written: names.length + 1, pending: 0 });
  });
});

describe('input with a fault', () => {
  const hostile = new Proxy({}, { get: () => expect.unreachable('a getter that throws') });
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'Paid'],
    ['no reason', { action: 'Charge' }],
    ['a long reason', { ...paid, reason: 'x'.repeat(129) }],
    ['a note that is no text', { ...paid, note: 5 }],
    ['an object without kind', { ...paid, regarding: { name: 'o-1' } }],
    ['an object without name', { ...paid, regarding: { kind: 'Order' } }],
    ['an item of a list', { ...paid, regarding: { kind: 'Pod', metadata: { name: 'a' } } }],
    ['an invalid namespace', { ...paid, regarding: { kind: 'Order', name: 'a', namespace: 'A b' } }],
    ['a long namespace', { ...paid, regarding: { kind: 'Order', name: 'a', namespace: 'a'.repeat(64) } }],
    ['an invalid label', { ...paid, labels: { app: 'not valid' } }],
    ['annotations that are no texts', { ...paid, annotations: { a: 5 } }],
    ['an event about an event', { ...paid, regarding: { apiVersion: 'v1', kind: 'Event', name: 'a' } }],
    [
      'an event about an event of its own group',
      { ...paid, regarding: { apiVersion: 'events.example.com/v1', kind: 'Event', name: 'a' } },
    ],
    ['an object whose getters throw', hostile],
  ])('is dropped without an exception: %s', async (_, input) => {
    const { server, recorder, observations } = setUp();
    expect(() => recorder.event(input as EventInput)).not.toThrow();
    await recorder.flush();
    expect(recorder.stats()).toMatchObject({ recorded: 1, written: 0, pending: 0, dropped: { invalid: 1 } });
    await vi.waitFor(() =>
      expect(observations).toMatchObject([{ type: 'recorder.dropped', reason: 'invalid', count: 1 }]),
    );
    expect(server.calls).toEqual([]);
  });

  it('is reported with every fault', async () => {
    const { recorder, observations } = setUp();
    recorder.event({
      regarding: { metadata: { name: 5, namespace: 'A b' }, kind: 'x'.repeat(1_025) },
      related: { kind: 'Event', name: 'a', apiVersion: 'v1' },
      type: '',
      note: 5,
      labels: { app: 'not valid' },
    } as never);
    await vi.waitFor(() => expect(observations).toHaveLength(1));
    expect((observations[0] as { error: Error }).error.message.split('; ')).toEqual([
      'recorder.event: note must be a string',
      'regarding.kind must have at most 1024 bytes',
      'regarding.name must be a string',
      'regarding needs a kind',
      'regarding needs a name',
      'regarding needs an apiVersion (list items have none)',
      'related must not be an Event',
      'regarding.namespace is not valid',
      'labels: "app" is not valid',
      'action must be a string of 1 to 128 bytes',
      'reason must be a string of 1 to 128 bytes',
      'type must be a string of 1 to 128 bytes',
    ]);
  });
});

describe('equal events', () => {
  it('are one event with a count: the second is written at once, further ones when the interval is over', async () => {
    const { clock, server, recorder } = setUp();
    recorder.event(paid);
    await turns();
    expect(server.events()[0]).not.toHaveProperty('series');
    clock.advance(1_000);
    recorder.event(paid);
    await turns();
    expect(server.events()).toMatchObject([{ series: { count: 2, lastObservedTime: '2024-01-01T00:00:01.000000Z' } }]);
    for (let second = 0; second < 8; second++) {
      clock.advance(1_000);
      recorder.event(paid);
      await turns();
    }
    clock.advance(2_000);
    await turns();
    expect(server.events()).toMatchObject([{ series: { count: 10, lastObservedTime: '2024-01-01T00:00:09.000000Z' } }]);
    expect(server.calls.length).toBeLessThanOrEqual(4);
    expect(recorder.stats()).toMatchObject({ recorded: 10, written: 10, pending: 0, series: 1 });
  });

  it('are never more than the interval behind on the server', async () => {
    const { clock, server, recorder } = setUp({ refreshMs: 4_000 });
    for (let at = 0; at < 60_000; at += 500) {
      recorder.event(paid);
      clock.advance(500);
      await turns(4);
      const known = server.events()[0]?.series?.count ?? 1;
      expect(at / 500 + 1 - known).toBeLessThanOrEqual(8);
    }
    expect(server.calls.length).toBeLessThanOrEqual(24);
  });

  it('are written without a condition where the server gives its events no revision', async () => {
    const patches: unknown[] = [];
    const client: RecorderClient = {
      ...fakeServer().client,
      create: async (event) => event,
      patch: async ({ name }, { patch }) => {
        patches.push(patch);
        return { metadata: { name } };
      },
    };
    const { recorder } = setUp({ events: client });
    for (let count = 0; count < 2; count++) {
      recorder.event(paid);
      await turns();
    }
    expect(patches).toEqual([{ series: { count: 2, lastObservedTime: expect.any(String) as string } }]);
  });

  it('that come during a write are written when the interval is over', async () => {
    const { clock, server, recorder } = setUp();
    for (let count = 0; count < 2; count++) {
      recorder.event(paid);
      await turns();
    }
    clock.advance(20_000);
    recorder.event(paid);
    recorder.event(paid);
    await nextTurn();
    expect(server.calls.at(-1)?.body).toMatchObject({ series: { count: 4 } });
    recorder.event(paid);
    await turns();
    expect(server.events()).toMatchObject([{ series: { count: 4 } }]);
    for (let second = 0; second < 20; second++) {
      clock.advance(1_000);
      await turns();
    }
    expect(server.events()).toMatchObject([{ series: { count: 5 } }]);
  });

  it('in one burst are one request, and flush writes the exact count', async () => {
    const { server, recorder } = setUp();
    for (let count = 0; count < 10_000; count++) recorder.event(paid);
    await recorder.flush();
    expect(server.calls).toHaveLength(1);
    expect(server.events()).toMatchObject([{ series: { count: 10_000 } }]);
  });

  it('differ in type, action, reason, objects and note', async () => {
    const { server, recorder } = setUp();
    recorder.event(paid);
    recorder.event({ ...paid, type: 'Warning' });
    recorder.event({ ...paid, action: 'Refund' });
    recorder.event({ ...paid, reason: 'Declined' });
    recorder.event({ ...paid, regarding: { kind: 'Order', name: 'o-2' } });
    recorder.event({ ...paid, related: { kind: 'Card', name: 'c' } });
    recorder.event({ ...paid, note: 'coffee' });
    await recorder.flush();
    expect(server.events()).toHaveLength(7);
  });

  it('may have other versions of their object, and other notes by choice: the first note stays', async () => {
    const { server, recorder } = setUp({ noteInKey: false });
    const pod = (resourceVersion: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'b', resourceVersion },
    });
    recorder.event({ ...paid, regarding: pod('1'), note: 'took 5 ms' });
    recorder.event({ ...paid, regarding: pod('2'), note: 'took 6 ms' });
    await recorder.flush();
    expect(server.events()).toMatchObject([{ note: 'took 5 ms', series: { count: 2 } }]);
  });

  it('begin a new event when there was none for six minutes', async () => {
    const { clock, server, recorder } = setUp();
    recorder.event(paid);
    await recorder.flush();
    clock.advance(359_999);
    recorder.event(paid);
    await recorder.flush();
    clock.advance(360_000);
    recorder.event(paid);
    await recorder.flush();
    expect(server.events().map(({ series }) => series?.count)).toEqual([2, undefined]);
  });

  it('have times that rise while the clock stands still or goes back a little, and follow it when it goes back far', async () => {
    const { clock, server, recorder } = setUp();
    const start = clock.now();
    for (const ahead of [0, 0, -999_000, -3_600_000_000]) {
      clock.setNow(start + ahead);
      recorder.event({ ...paid, note: String(ahead) });
      recorder.event({ ...paid, note: 'the same' });
    }
    await recorder.flush();
    const times = server.events().map(({ eventTime, series }) => [eventTime, series?.lastObservedTime]);
    expect(times).toEqual([
      ['2024-01-01T00:00:00.000000Z', '2024-01-01T00:00:00.000002Z'],
      ['2024-01-01T00:00:00.000001Z', '2023-12-31T23:00:00.000001Z'],
      ['2024-01-01T00:00:00.000004Z', undefined],
      ['2023-12-31T23:00:00.000000Z', undefined],
    ]);
  });

  it('are written before their series makes room for others', async () => {
    const { server, recorder } = setUp({ maxSeries: 2 });
    const about = (name: string): EventInput => ({ ...paid, regarding: { kind: 'Order', name } });
    for (let times = 0; times < 3; times++) recorder.event(about('a'));
    await turns();
    recorder.event(about('a'));
    for (const name of ['b', 'c', 'd']) recorder.event(about(name));
    await turns();
    expect(server.events()[0]?.series?.count).toBe(4);
    expect(recorder.stats()).toMatchObject({ pending: 0, series: 2 });
  });
});

describe('a series', () => {
  it('ends early where series take more than 32 MiB together', async () => {
    const { recorder } = setUp();
    const annotations = { text: 'x'.repeat(1_048_576) };
    for (let order = 0; order < 20; order++)
      recorder.event({ ...paid, regarding: { kind: 'Order', name: `o-${order}` }, annotations });
    await recorder.flush();
    // The characters of a text may take four bytes.
    expect(recorder.stats()).toMatchObject({ series: 7, dropped: { full: 5 } });
  });

  it('is given up, after a limited number of requests, where the server reports a conflict for ever', async () => {
    const { clock, server, recorder } = setUp();
    const { patch } = server.client;
    let conflicts = 20;
    (server.client as { patch: unknown }).patch = (...given: Parameters<typeof patch>) => {
      if (conflicts-- <= 0) return patch(...given);
      server.calls.push({ verb: 'patch', name: '', body: { metadata: {} } });
      return Promise.reject(
        Object.assign(new Error('no'), { code: 409, [Symbol.for('kube-vitals.StatusError')]: true }),
      );
    };
    recorder.event(paid);
    await recorder.flush();
    recorder.event(paid);
    await whileTimePasses(clock, recorder.flush());
    expect(recorder.stats()).toMatchObject({ written: 2, pending: 0 });
    server.calls.length = 0;
    conflicts = Infinity;
    recorder.event(paid);
    await whileTimePasses(clock, recorder.flush());
    expect(recorder.stats()).toMatchObject({ written: 2, dropped: { refused: 1 } });
    expect(server.calls.length).toBeLessThan(200);
  });

  it('is created again with its whole count and name when its event no longer exists', async () => {
    const { server, recorder } = setUp();
    recorder.event(paid);
    recorder.event(paid);
    await recorder.flush();
    const [name] = server.stored.keys();
    server.stored.clear();
    recorder.event(paid);
    await recorder.flush();
    expect(server.events()).toMatchObject([
      { metadata: { name }, series: { count: 3 }, eventTime: '2024-01-01T00:00:00.000000Z' },
    ]);
  });

  it('is not doubled by a create or a patch whose outcome is unknown', async () => {
    const outcomes: Outcome[] = ['lost', 'ok', 'ok', 'lost'];
    const { clock, server, recorder } = setUp({}, () => outcomes.shift() ?? 'ok');
    recorder.event(paid);
    await whileTimePasses(clock, recorder.flush());
    recorder.event(paid);
    await whileTimePasses(clock, recorder.flush());
    expect(server.events()).toMatchObject([{ series: { count: 2 } }]);
    expect(server.calls.map(({ verb }) => verb)).toEqual(['create', 'create', 'get', 'patch', 'patch', 'get', 'patch']);
  });

  it('is not doubled by a create of unknown outcome where its reason ends in half of a character', async () => {
    const events = served();
    const clock = fakeClock();
    let creates = 0;
    const transport: ApiHandler = async (request) => {
      const response = await events.handle(request);
      if (request.method === 'POST' && ++creates === 1) throw connectionError('socket hang up', true);
      return response;
    };
    const client = createEventsClient({ transport, group: events.group, clock, retry: NEVER });
    const recorder = createRecorder({
      events: client,
      reportingController: 'example.com/shop',
      clock,
      observe: vi.fn(),
    });
    recorder.event({ ...paid, reason: 'Paid\ud83d' });
    await whileTimePasses(clock, recorder.close(), 100);
    expect(creates).toBe(2);
    expect(await createEventsClient({ events }).list().toArray()).toMatchObject([{ reason: 'Paid\ufffd' }]);
  });

  it('has the whole count where a repeated create finds the event of an earlier one, which had a smaller count', async () => {
    const events = served();
    const clock = fakeClock();
    /** Of the creates, in order: whether they are carried out. Their responses are lost, but that of the last. */
    const carriedOut = [true, false, false];
    const transport: ApiHandler = async (request) => {
      const isLost = request.method === 'POST' && carriedOut.length > 0;
      const response = isLost && !carriedOut.shift() ? undefined : await events.handle(request);
      if (!isLost) return response;
      if (carriedOut.length === 1) recorder.event(paid);
      throw connectionError('socket hang up', true);
    };
    const client = createEventsClient({ transport, group: events.group, clock, retry: ONCE });
    const recorder = createRecorder({
      events: client,
      reportingController: 'example.com/shop',
      clock,
      observe: vi.fn(),
    });
    recorder.event(paid);
    await whileTimePasses(clock, recorder.flush(), 100);
    await whileTimePasses(clock, recorder.close(), 100);
    expect(recorder.stats()).toMatchObject({ recorded: 2, written: 2 });
    const stored = await createEventsClient({ events }).list().toArray();
    expect(stored).toMatchObject([{ reason: 'Paid', series: { count: 2 } }]);
  });

  it('is not set back by a patch that arrives after a later one', async () => {
    const outcomes: Outcome[] = ['ok', 'late'];
    const { clock, server, recorder } = setUp({}, () => outcomes.shift() ?? 'ok');
    recorder.event(paid);
    await recorder.flush();
    recorder.event(paid);
    await whileTimePasses(clock, recorder.flush());
    recorder.event(paid);
    await recorder.flush();
    server.arrive();
    expect(server.events()).toMatchObject([{ series: { count: 3 } }]);
  });

  it('takes another name when somebody has an event of its name', async () => {
    const { server, recorder } = setUp();
    let taken: string | undefined;
    const create = server.client.create.bind(server.client);
    (server.client as { create: typeof create }).create = (event, options) => {
      if (taken === undefined) {
        taken = event.metadata.name as string;
        server.stored.set(taken, { ...event, reason: 'SomebodyElse' });
      }
      return create(event, options);
    };
    recorder.event(paid);
    await recorder.flush();
    expect(server.events().map(({ reason }) => reason)).toEqual(['SomebodyElse', 'Paid']);
  });

  it('continues without the right to read events', async () => {
    const outcomes: Outcome[] = ['lost'];
    const { clock, server, recorder } = setUp({}, ({ verb }) => (verb === 'get' ? 'ok' : (outcomes.shift() ?? 'ok')));
    (server.client as { get: unknown }).get = () =>
      Promise.reject(Object.assign(new Error('no'), { code: 403, [Symbol.for('kube-vitals.StatusError')]: true }));
    recorder.event(paid);
    recorder.event(paid);
    await whileTimePasses(clock, recorder.flush());
    expect(server.events()).toMatchObject([{ series: { count: 2 } }]);
    expect(recorder.stats()).toMatchObject({ written: 2, pending: 0 });
  });
});

describe('a server that is unavailable', () => {
  it('is reported once, and gets every event when it is back', async () => {
    let away = true;
    const { clock, server, recorder, observations } = setUp({}, () => (away ? 'away' : 'ok'));
    for (let order = 0; order < 50; order++)
      recorder.event({ ...paid, regarding: { kind: 'Order', name: `o-${order}` } });
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000);
      await turns(4);
    }
    expect(recorder.stats()).toMatchObject({ written: 0, pending: 50 });
    expect(server.calls.length).toBeLessThan(80);
    away = false;
    await whileTimePasses(clock, recorder.flush());
    expect(server.events()).toHaveLength(50);
    const errors = observations.filter(({ type }) => type === 'error' || type === 'recovered');
    expect(errors.map(({ type }) => type)).toEqual(['error', 'recovered']);
  });

  it('loses events that are too old, which is reported', async () => {
    const { clock, recorder, observations } = setUp({ maxAgeMs: 60_000 }, () => 'away');
    clock.advance(59_000);
    recorder.event(paid);
    recorder.event(paid);
    for (let second = 0; second < 45; second++) {
      await turns(4);
      clock.advance(1_000);
    }
    expect(recorder.stats()).toMatchObject({ pending: 2 });
    await whileTimePasses(clock, recorder.flush());
    expect(recorder.stats()).toMatchObject({ pending: 0, dropped: { expired: 2 } });
    expect(observations).toContainEqual(
      expect.objectContaining({ type: 'recorder.dropped', reason: 'expired', count: 2 }),
    );
  });

  it('loses an event whose write fails at the age of maxAgeMs, and repeats one that is younger', async () => {
    const failures: (() => void)[] = [];
    const create = (): Promise<never> =>
      new Promise((_, reject) => failures.push(() => reject(connectionError('socket hang up', true))));
    const { clock, recorder } = setUp({ maxAgeMs: 60_000, events: { ...fakeServer().client, create } });
    recorder.event(paid);
    clock.advance(1);
    recorder.event({ ...paid, regarding: { kind: 'Order', name: 'o-2' } });
    await turns();
    clock.advance(59_999);
    for (const fail of failures) fail();
    await turns();
    expect(recorder.stats()).toMatchObject({ pending: 1, dropped: { expired: 1 } });
  });

  it('gets the next request no sooner than after its Retry-After', async () => {
    const outcomes: Outcome[] = ['throttled'];
    const { clock, server, recorder } = setUp({}, () => outcomes.shift() ?? 'ok');
    recorder.event(paid);
    await turns();
    clock.advance(1_999);
    await turns();
    expect(server.calls).toHaveLength(1);
    clock.advance(1);
    await turns();
    expect(recorder.stats().written).toBe(1);
  });
});

describe('dropped events', () => {
  it('have the refusal of the server, and later events are written', async () => {
    const outcomes: Outcome[] = ['refused'];
    const { recorder, observations } = setUp({ maxInFlight: 1 }, () => outcomes.shift() ?? 'ok');
    recorder.event(paid);
    recorder.event({ ...paid, note: 'coffee' });
    await recorder.flush();
    expect(recorder.stats()).toMatchObject({ written: 1, dropped: { refused: 1 } });
    await vi.waitFor(() => expect(observations.map(({ type }) => type)).toContain('recorder.dropped'));
    const dropped = observations.find((each) => each.type === 'recorder.dropped');
    expect(dropped).toMatchObject({ reason: 'refused', recorder: 'example.com/shop', event: { reason: 'Paid' } });
    expect(isStatusError(dropped?.error)).toBe(true);
  });

  it('have failed in eight attempts to write them', async () => {
    const { clock, server, recorder } = setUp({}, () => 'broken');
    recorder.event(paid);
    await whileTimePasses(clock, recorder.flush());
    expect(server.calls).toHaveLength(8);
    expect(recorder.stats()).toMatchObject({ dropped: { refused: 1 }, queued: 0 });
  });

  it('have failed in eight attempts, not counting those that found the server unavailable', async () => {
    const outcomes: Outcome[] = [];
    const { clock, server, recorder } = setUp({}, () => outcomes.shift() ?? 'ok');
    const away = Array<Outcome>(10).fill('away');
    outcomes.push(...away, 'unavailable', ...Array<Outcome>(7).fill('broken'), ...away);
    recorder.event(paid);
    await whileTimePasses(clock, recorder.flush());
    expect(server.calls).toHaveLength(29);
    expect(recorder.stats()).toMatchObject({ written: 1, pending: 0 });
  });

  it('have failed while events about other objects are written, and come before later ones about the same object', async () => {
    let isBroken = true;
    const { clock, server, recorder } = setUp({}, ({ name }) => (isBroken && name.startsWith('bad') ? 'broken' : 'ok'));
    const about = (name: string, note: string): EventInput => ({ ...paid, regarding: { kind: 'Order', name }, note });
    for (let index = 0; index < 40; index++) recorder.event(about(`bad-${index % 20}`, `note ${index}`));
    for (let index = 0; index < 5; index++) recorder.event(about(`good-${index}`, 'tea'));
    await turns(100);
    expect(server.events()).toHaveLength(5);
    expect(recorder.stats()).toMatchObject({ written: 5, pending: 40, queued: 40 });
    isBroken = false;
    await whileTimePasses(clock, recorder.flush());
    const created = server.events().filter(({ regarding }) => regarding?.name === 'bad-7');
    expect(created.map(({ note }) => note)).toEqual(['note 7', 'note 27']);
    expect(recorder.stats()).toMatchObject({ written: 45, pending: 0, queued: 0 });
  });

  it('are few, after few requests, while the server fails with all events', async () => {
    const { clock, server, recorder } = setUp({}, () => 'broken');
    for (let index = 0; index < 100; index++)
      recorder.event({ ...paid, regarding: { kind: 'Order', name: `o-${index}` } });
    for (let second = 0; second < 60; second++) {
      await turns();
      clock.advance(1_000);
    }
    expect(recorder.stats()).toMatchObject({ written: 0, queued: 100 });
    expect(server.calls.length).toBeLessThan(200);
  });

  it('wait for a failed one when the recorder is closed, which leaves no timer', async () => {
    const { clock, recorder } = setUp({ closeTimeoutMs: 1_000 }, () => 'broken');
    for (let index = 0; index < 20; index++)
      recorder.event({ ...paid, regarding: { kind: 'Order', name: `o-${index}` } });
    await whileTimePasses(clock, recorder.close(), 200);
    await turns();
    expect(recorder.stats()).toMatchObject({ pending: 0, queued: 0, dropped: { closed: 20 } });
  });

  it('are counted when the queue is full, by events and by bytes', async () => {
    const { recorder } = setUp({ maxQueued: 10 });
    const note = (text: number): EventInput => ({ ...paid, note: String(text) });
    for (let count = 0; count < 25; count++) recorder.event(note(count));
    // An event that only raises a count takes no place in the queue.
    recorder.event(note(0));
    expect(recorder.stats()).toMatchObject({ pending: 11, queued: 10, dropped: { full: 15 } });
    await recorder.flush();
    expect(recorder.stats()).toMatchObject({ written: 11, pending: 0 });

    const small = setUp({ maxQueuedBytes: 20_000 });
    for (let count = 0; count < 25; count++)
      small.recorder.event({ ...note(count), annotations: { a: 'x'.repeat(2_000) } });
    const { full } = small.recorder.stats().dropped;
    expect(full).toBeGreaterThan(20);
    // What was written takes no place any more.
    for (let count = 0; count < 25; count++) {
      small.recorder.event(note(count));
      await small.recorder.flush();
    }
    expect(small.recorder.stats()).toMatchObject({ recorded: 50, written: 50 - full });
  });

  it('are counted by source when there are too many, but not equal events; the limit can be switched off', async () => {
    const rateLimit = { perSecond: 1, burst: 3 };
    const { clock, recorder, observations } = setUp({ rateLimit });
    const flood = (to: Recorder): void => {
      for (let count = 0; count < 10; count++) to.event({ ...paid, note: String(count) });
    };
    flood(recorder);
    recorder.event({ ...paid, regarding: { kind: 'Order', name: 'o-2' } });
    for (let count = 0; count < 10; count++) recorder.event({ ...paid, note: '0' });
    expect(recorder.stats().dropped['rate-limited']).toBe(7);
    clock.advance(2_000);
    recorder.event({ ...paid, note: 'later' });
    await recorder.flush();
    expect(recorder.stats()).toMatchObject({ recorded: 22, written: 15, pending: 0 });
    await recorder.close();
    const drops = observations.flatMap((each) => (each.type === 'recorder.dropped' ? [each.count] : []));
    expect(drops.reduce((sum, count) => sum + count, 0)).toBe(7);

    for (const [limit, limited] of [
      [undefined, 10],
      [false, 0],
    ] as const) {
      const { recorder: other } = setUp({ rateLimit: limit, maxQueued: 30_000 });
      for (let count = 0; count < 20_010; count++) other.event({ ...paid, note: String(count) });
      expect(other.stats().dropped).toMatchObject({ 'rate-limited': limited, full: 0 });
    }
  });
});

describe('a recorder without an observer', () => {
  afterEach(() => void vi.restoreAllMocks());
  it('warns the process of the first drop of each reason', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { recorder } = setUp({ observe: undefined });
    for (let count = 0; count < 3; count++) recorder.event({} as never);
    await recorder.close();
    recorder.event(paid);
    await vi.waitFor(() => expect(warned).toHaveBeenCalledTimes(2));
    expect(String(warned.mock.calls[0]?.[0])).toContain('the recorder example.com/shop: invalid: recorder.event: ');
    expect(String(warned.mock.calls[1]?.[0])).toContain('the recorder is closed');
  });
});

describe('a recorder', () => {
  it('writes events about one object one after the other', async () => {
    const server = fakeServer();
    const answers: (() => void)[] = [];
    const create: RecorderClient['create'] = async (event) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return server.client.create(event);
    };
    const { recorder } = setUp({ events: { ...server.client, create } });
    for (const note of ['first', 'second', 'third', 'fourth']) {
      recorder.event({ ...paid, note });
      await turns();
      // The third and the fourth are recorded while their predecessor is written.
      if (note !== 'first') answers.at(-1)?.();
      await turns(2);
    }
    expect(answers).toHaveLength(4);
    expect(server.events().map(({ note }) => note)).toEqual(['first', 'second', 'third']);
  });

  it.each([{}, { as: true }, null])('refuses %j as events', (events) => {
    expect(() => setUp({ events: events as never })).toThrow(
      'createRecorder: events must be an object of createEventsClient or createEvents',
    );
  });

  it.each(['', 'shop/', 'a/b/c', 7])('refuses %j as its reporting controller', (reportingController) => {
    expect(() => setUp({ reportingController: reportingController as never })).toThrow(
      'createRecorder: reportingController must be a name such as example.com/shop',
    );
  });

  it.each([{ perSecond: 0, burst: 1 }, { perSecond: 1, burst: 0.5 }, { perSecond: 1 }, null])(
    'refuses the rate limit %j',
    (rateLimit) => {
      expect(() => setUp({ rateLimit: rateLimit as never })).toThrow(
        'createRecorder: rateLimit must be false, or perSecond and burst above 0',
      );
      setUp({ rateLimit: { perSecond: 0.1, burst: 1 } });
    },
  );

  it('resolves flush() at once without anything to write, and rejects it with the reason of its signal', async () => {
    const { recorder } = setUp({}, () => 'away');
    await recorder.flush();
    recorder.event(paid);
    const controller = new AbortController();
    const flushed = recorder.flush({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(flushed).rejects.toThrow('enough');
    await expect(recorder.flush({ signal: controller.signal })).rejects.toThrow('enough');
  });

  it('keeps the process alive during flush() and no longer, also when its signal is aborted', async () => {
    const timers = countKeepAliveTimers();
    let outcome: Outcome = 'away';
    const { clock, recorder } = setUp({}, () => outcome);
    recorder.event(paid);
    const controller = new AbortController();
    const aborted = recorder.flush({ signal: controller.signal });
    const flushed = recorder.flush();
    expect(timers()).toBe(2);
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect(timers()).toBe(1);
    outcome = 'ok';
    await whileTimePasses(clock, flushed);
    expect(timers()).toBe(0);
  });

  it('names itself after its reporting controller, with eight random digits', async () => {
    const { server, recorder } = setUp({ reportingInstance: undefined });
    recorder.event(paid);
    await recorder.flush();
    expect(server.events()[0]?.reportingInstance).toMatch(/^shop-[0-9a-f]{8}$/);
  });

  it('adds few listeners to a signal however many calls of flush() share it, and removes them', async () => {
    let outcome: Outcome = 'away';
    const { clock, recorder } = setUp({}, () => outcome);
    const { signal } = new AbortController();
    const listeners = (): number => getEventListeners(signal, 'abort').length;
    recorder.event(paid);
    const flushed = Array.from({ length: 20 }, () => recorder.flush({ signal }));
    await turns();
    expect(listeners()).toBeLessThan(2);
    outcome = 'ok';
    await whileTimePasses(clock, Promise.all(flushed));
    expect(listeners()).toBe(0);
  });

  it('keeps nothing of a flush() that was aborted', async () => {
    const { recorder } = setUp({ events: { ...fakeServer().client, create: () => new Promise(() => undefined) } });
    recorder.event(paid);
    const abortedFlush = async (): Promise<WeakRef<AbortSignal>> => {
      const controller = new AbortController();
      const flushed = recorder.flush({ signal: controller.signal });
      controller.abort(new Error('enough'));
      await expect(flushed).rejects.toThrow('enough');
      return new WeakRef(controller.signal);
    };
    const signal = await abortedFlush();
    await turns();
    collectGarbage();
    expect(signal.deref()).toBeUndefined();
  });

  it('keeps nothing of a flush() that is complete, although its signal lives on', async () => {
    const { recorder } = setUp();
    const { signal } = new AbortController();
    const grown = await heapGrowth(async () => {
      for (let call = 0; call < 15_000; call++) await recorder.flush({ signal });
    });
    expect(grown).toBeLessThan(9 * 1_048_576);
  });

  it('gives few writes the same signal, so that Node does not warn about its listeners, and aborts all when closed', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    let aborted = 0;
    const { clock, recorder } = setUp({
      maxInFlight: 16,
      events: {
        ...fakeServer().client,
        create: (_event, { signal } = {}) =>
          new Promise(() => signal?.addEventListener('abort', () => void (aborted += 1))),
      },
    });
    // Enough objects for all lanes.
    for (let name = 0; name < 200; name++) recorder.event({ ...paid, regarding: { kind: 'Order', name: `o-${name}` } });
    await whileTimePasses(clock, recorder.close());
    expect(aborted).toBe(16);
    expect(warnings).toEqual([]);
  });

  it('does not wait in flush() for what is recorded after the call', async () => {
    let away = false;
    const { recorder } = setUp({}, () => (away ? 'away' : 'ok'));
    recorder.event(paid);
    const flushed = recorder.flush();
    recorder.event({ ...paid, regarding: { kind: 'Order', name: 'late' } });
    await turns();
    away = true;
    recorder.event({ ...paid, note: 'never' });
    await flushed;
  });

  it('drops at once what it cannot write because the transport was closed before it', async () => {
    const transport = httpTransport({ server: 'http://127.0.0.1:1' });
    await transport.close();
    const { recorder, observations } = setUp({ events: createEventsClient({ transport }) });
    recorder.event(paid);
    await recorder.flush({ signal: AbortSignal.timeout(5_000) });
    expect(recorder.stats()).toMatchObject({ pending: 0, dropped: { refused: 1 } });
    await recorder.close();
    expect(observations).toContainEqual(
      expect.objectContaining({
        type: 'recorder.dropped',
        error: expect.objectContaining({ message: 'the transport is closed' }) as unknown,
      }),
    );
  });

  it('writes what was recorded when it is closed, and then accepts and sends nothing more', async () => {
    const { clock, server, recorder, observations } = setUp();
    for (let count = 0; count < 5; count++) recorder.event(paid);
    await turns();
    recorder.event(paid);
    const closed = recorder.close();
    expect(recorder.close()).toBe(closed);
    await closed;
    expect(server.events()).toMatchObject([{ series: { count: 6 } }]);
    recorder.event(paid);
    expect(recorder.stats()).toMatchObject({ recorded: 7, written: 6, dropped: { closed: 1 } });
    const calls = server.calls.length;
    clock.advance(3_600_000);
    await turns();
    expect(server.calls).toHaveLength(calls);
    const activity = observations.filter((each) => each.type === 'recorder.activity');
    expect(activity.reduce((sum, { recorded }) => sum + recorded, 0)).toBeGreaterThanOrEqual(6);
  });

  it('drops on close() what cannot be written in time, or before its signal is aborted', async () => {
    const { clock, recorder, observations } = setUp({ closeTimeoutMs: 5_000 }, () => 'away');
    recorder.event(paid);
    recorder.event(paid);
    await whileTimePasses(clock, recorder.close());
    expect(recorder.stats()).toMatchObject({ pending: 0, dropped: { closed: 2 } });
    expect(observations).toContainEqual(
      expect.objectContaining({ reason: 'closed', count: 2, error: new Error('not written in time') }),
    );

    const other = setUp({}, () => 'away').recorder;
    other.event(paid);
    await other.close({ signal: AbortSignal.abort() });
    expect(other.stats().dropped.closed).toBe(1);
  });

  it('counts what close() has dropped as dropped, although it is written later', async () => {
    let written: () => void = () => undefined;
    const create: RecorderClient['create'] = (event) =>
      new Promise(
        (resolve) => (written = () => resolve({ ...event, metadata: { ...event.metadata, resourceVersion: '1' } })),
      );
    const { recorder } = setUp({ events: { ...fakeServer().client, create } });
    recorder.event(paid);
    await turns();
    await recorder.close({ signal: AbortSignal.abort() });
    written();
    await turns();
    expect(recorder.stats()).toMatchObject({ recorded: 1, written: 0, pending: 0, dropped: { closed: 1 } });
  });

  it('reports after close() that no request is queued, because the last values stay in metrics', async () => {
    // As over a connection: that the request is aborted is known some promises later.
    const create = (_event: unknown, { signal }: { readonly signal?: AbortSignal } = {}): Promise<never> =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () =>
          queueMicrotask(() => queueMicrotask(() => reject(signal.reason as Error))),
        ),
      );
    const { recorder, observations } = setUp({ events: { ...fakeServer().client, create } });
    for (const name of ['o-1', 'o-2', 'o-3']) recorder.event({ ...paid, regarding: { kind: 'Order', name } });
    await turns();
    await recorder.close({ signal: AbortSignal.abort() });
    expect(observations.at(-1)).toMatchObject({ type: 'recorder.activity', pending: 0, queued: 0 });
  });

  it('can be disposed of', async () => {
    const { recorder, server } = setUp();
    recorder.event(paid);
    await (recorder as { [Symbol.asyncDispose](): Promise<void> })[Symbol.asyncDispose]();
    expect(server.events()).toHaveLength(1);
  });
});

describe('a recorder in the process of the server', () => {
  it('writes through the object of createEvents, as the caller that is given', async () => {
    const callers: string[] = [];
    const events = served({
      authorize: (caller) => {
        callers.push(caller.name);
        return { allowed: true };
      },
    });
    const recorder = createRecorder({ events, reportingController: 'example.com/shop', caller: { name: 'shop' } });
    for (let count = 0; count < 3; count++) recorder.event(paid);
    await recorder.flush();
    recorder.event(paid);
    await recorder.flush();
    expect(recorder.stats()).toMatchObject({ written: 4, pending: 0 });
    expect(new Set(callers)).toEqual(new Set(['shop']));
  });
});
