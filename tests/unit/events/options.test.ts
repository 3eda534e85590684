import { describe, expect, onTestFinished, test } from 'vitest';
import { createEvents } from '../../../src/events/create-events.js';
import type { EventsOptions } from '../../../src/events/options.js';
import type { Caller } from '../../../src/model/caller.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';
import { call } from '../../../src/testing/call.js';
import { bench, CALLER, event, namesOf, path } from './bench.js';

const good = (): EventsOptions => ({
  apiDomain: 'example.com',
  store: memoryStore(),
  authenticate: () => CALLER,
  authorize: () => ({ allowed: true }),
});

describe('the options of createEvents', () => {
  test('have all faults listed in one TypeError', () => {
    const wrong: unknown = {
      apiDomain: 'Not A Domain',
      store: {},
      authenticate: 'admin',
      types: [],
      ttlMs: 5,
      maxBodyBytes: 0,
      maxBodyFields: 0,
      maxYamlCharacters: '1000',
      maxSelectorTerms: -1,
      requestTimeoutMs: 0.5,
      bookmarkIntervalMs: Number.NaN,
      minWatchMs: 'long',
      expiryIntervalMs: Infinity,
      observe: 7,
      limits: { watches: -1 },
    };
    let thrown: unknown;
    try {
      createEvents(wrong as EventsOptions);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TypeError);
    const { message } = thrown as TypeError;
    const names = ['apiDomain', 'store', 'authenticate', 'authorize', 'types', 'ttlMs', 'maxBodyBytes'];
    names.push('maxBodyFields', 'maxYamlCharacters', 'maxSelectorTerms', 'requestTimeoutMs');
    for (const name of [...names, 'bookmarkIntervalMs', 'minWatchMs', 'expiryIntervalMs', 'observe', 'watches']) {
      expect(message).toContain(`${name} must be`);
    }
  });

  test('allow bodies as large as in Kubernetes, and no larger', () => {
    expect(() => createEvents({ ...good(), maxBodyBytes: 3_145_729 })).toThrow(
      'maxBodyBytes must be a whole number from 1 to 3145728',
    );
  });

  test('allow bodies with as many fields as a JSON Patch, and no more', () => {
    expect(() => createEvents({ ...good(), maxBodyFields: 100_001 })).toThrow(
      'maxBodyFields must be a whole number from 1 to 100000',
    );
  });

  test.each([undefined, null, 'options', {}])('are a TypeError with %j', (options) => {
    expect(() => createEvents(options as unknown as EventsOptions)).toThrow(TypeError);
  });

  test.each([
    '',
    '.com',
    'example..com',
    'example.com.',
    '-a.com',
    'a_b.com',
    'a/b',
    'é.com',
    `${'a.'.repeat(123)}abc`,
  ])('are refused with the domain %s', (apiDomain) =>
    expect(() => createEvents({ ...good(), apiDomain })).toThrow('apiDomain must be'),
  );

  test('are checked quickly for a long hostile domain', () => {
    expect(() => createEvents({ ...good(), apiDomain: `${'a'.repeat(100_000)}!` })).toThrow('apiDomain');
    expect(() => createEvents({ ...good(), apiDomain: `${'a-'.repeat(100_000)}` })).toThrow('apiDomain');
  });

  test('are refused with invalid limits', () => {
    expect(() => createEvents({ ...good(), limits: { reads: 0, watches: -1 } })).toThrow(/reads[^]*watches/);
    expect(() => createEvents({ ...good(), limits: null as never })).toThrow('limits must be an object');
  });

  test('leave nothing running when they are refused', () => {
    let timers = 0;
    const clock = {
      now: () => 0,
      monotonic: () => 0,
      setTimer: () => {
        timers++;
        return { cancel: () => void timers-- };
      },
    };
    expect(() => createEvents({ ...good(), clock, limits: { reads: 0 } })).toThrow(TypeError);
    expect(timers).toBe(0);
  });

  test('may allow further types', async () => {
    const { json } = bench({ types: ['Normal', 'Audit'] });
    expect((await json(`POST ${path()}`, event('a', { type: 'Audit' }))).status).toBe(201);
    expect((await json(`POST ${path()}`, event('b', { type: 'Warning' }))).status).toBe(422);
  });
});

describe('two instances', () => {
  test('share no state', async () => {
    const one = bench({ limits: { watches: 1 } });
    const two = bench({ limits: { watches: 1 }, apiDomain: 'other.com' });
    await one.create('a');
    expect((await two.ask(`GET ${path()}`)).claimed).toBe(false);
    const third = bench({ limits: { watches: 1 } });
    expect(namesOf((await third.json(`GET ${path()}`)).json)).toEqual([]);
    const watch = await one.ask(`GET ${path()}?watch=1`);
    expect(watch.status).toBe(200);
    expect((await one.ask(`GET ${path()}?watch=1`)).status).toBe(429);
    const other = await third.ask(`GET ${path()}?watch=1`);
    expect(other.status).toBe(200);
    await one.events.close();
    await one.events.close();
    const frame = other.frames().next();
    await third.create('b');
    expect((await frame).value).toMatchObject({ type: 'ADDED' });
  });

  test('over one store see each other’s events', async () => {
    const store = memoryStore();
    const apis = [createEvents({ ...good(), store }), createEvents({ ...good(), store })];
    onTestFinished(async () => {
      for (const api of apis) await api.close();
      await store.close();
    });
    const [one, two] = apis as [(typeof apis)[number], (typeof apis)[number]];
    const watch = (await call(two.handle, `GET ${path()}?watch=1`)).frames<{ type: string }>();
    const frame = watch.next();
    await call(one.handle, `POST ${path()}`, { json: event('a') });
    expect((await frame).value).toMatchObject({ type: 'ADDED' });
    await one.close();
    const second = watch.next();
    await call(two.handle, `DELETE ${path('/a')}`);
    expect((await second).value).toMatchObject({ type: 'DELETED' });
    await watch.return();
  });
});

test('the object of createEvents has the name of the API group that it serves', () => {
  const events = createEvents(good());
  expect(events.group).toBe('events.example.com');
  return events.close();
});

describe('as(caller)', () => {
  test('skips authentication, but not authorization', async () => {
    const { events } = bench({
      authenticate: () => undefined,
      authorize: (caller, { verb }) => ({ allowed: caller.name === 'me' && verb === 'get' }),
    });
    expect((await call(events.handle, `GET ${path('/a')}`)).status).toBe(401);
    const mine = events.as({ name: 'me', groups: [] });
    expect((await call(mine, `GET ${path('/a')}`)).status).toBe(404);
    expect((await call(mine, `GET ${path()}`)).status).toBe(403);
    expect((await call(events.as({ name: 'you', groups: [] }), `GET ${path('/a')}`)).status).toBe(403);
  });

  test.each<[string, unknown]>([
    ['without a name', {}],
    ['with an empty name', { name: '' }],
    ['with a name that is no string', { name: 1 }],
    ['whose groups are no list', { name: 'me', groups: 'all' }],
    ['that is undefined', undefined],
  ])('refuses a caller %s, whose requests would be authenticated as those of others', (_, caller) => {
    const { events } = bench();
    expect(() => events.as(caller as Caller)).toThrow(
      new TypeError('events.as: the caller needs a name, and its groups a list'),
    );
  });
});
