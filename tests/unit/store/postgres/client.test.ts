import { EventEmitter } from 'node:events';
import postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { createListenCheck } from '../../../../src/store/postgres/wake-ups.js';
import { pgClient } from '../../../../src/store/postgres/pg-client.js';
import { postgresJsClient } from '../../../../src/store/postgres/postgres-js.js';
import { createRequests } from '../../../../src/store/postgres/requests.js';
import type { PostgresClient } from '../../../../src/store/postgres/client.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

const pending = (): Promise<never> => new Promise(() => undefined);

/** A pool with one client, for whose queries a function returns the results. */
function poolOf(answer: (text: string) => Promise<{ rows: object[] }>) {
  const released: boolean[] = [];
  const client = Object.assign(new EventEmitter(), {
    query: ({ text }: { text: string }) => answer(text),
    release: (destroy?: boolean) => released.push(destroy === true),
  });
  const pool = Object.assign(new EventEmitter(), { connect: () => Promise.resolve(client) });
  return { pool, client, released };
}

const call = () => ({ signal: new AbortController().signal });

describe('an instance of the driver postgres', () => {
  const adapted = (transform: postgres.Options<Record<string, never>>['transform']): PostgresClient =>
    postgresJsClient(postgres('postgres://127.0.0.1:1/none', transform && { transform }));

  test.each([
    ['the names of columns', postgres.camel],
    ['the names of columns one way', { column: postgres.toCamel }],
    ['values', { value: { from: String } }],
    ['rows', { row: (row: unknown) => row }],
  ])('is refused if it transforms %s', (_what, transform) => {
    expect(() => adapted(transform)).toThrow(
      new TypeError(
        'postgresJsClient: the argument has the option transform, which changes the rows that it reads: give the store an instance of postgres() without it',
      ),
    );
  });

  test.each([
    ['no transform', undefined],
    ['one for undefined', { undefined: null }],
    ['one of what is sent', { column: { to: postgres.fromCamel } }],
  ])('is accepted with %s', (_what, transform) => {
    expect(adapted(transform).listen).toBeTypeOf('function');
  });

  /** An instance with one connection whose results the test provides, and the queries it got. */
  const withOneConnection = () => {
    const sent: string[] = [];
    const answers: (() => void)[] = [];
    const sql = {
      options: { max: 1 },
      unsafe(text: string) {
        sent.push(text);
        const rows = new Promise<object[]>((resolve) => answers.push(() => resolve([{ text }])));
        return Object.assign(rows, { cancel: () => sent.push(`cancel ${text}`) });
      },
      listen: pending,
    };
    return { client: postgresJsClient(sql), sent, answers };
  };

  test('never cancels: the driver would give the rows of a query that waits to the next one', async () => {
    const { client, sent, answers } = withOneConnection();
    const leaving = new AbortController();
    const answer = client.query('first', [], { signal: leaving.signal, abandoned: leaving.signal });
    await vi.waitFor(() => expect(sent).toEqual(['first']));
    leaving.abort(new Error('left'));
    answers[0]?.();
    expect(await answer).toEqual({ rows: [{ text: 'first' }] });
    expect(sent).toEqual(['first']);
  });

  test('gives no statement the rows of another, whatever the driver does', async () => {
    const sent: [string, readonly string[]][] = [];
    const sql = {
      unsafe(text: string, values: readonly string[]) {
        sent.push([text, values]);
        const rows: object[] = [];
        // The first two elements are unset.
        rows[2] = { a: 1, statement_number: sent.length === 1 ? values.at(-1) : '1' };
        return Promise.resolve(rows);
      },
      listen: pending,
    };
    const client = postgresJsClient(sql);
    expect((await client.query('SELECT $1 AS a', ['x'], call())).rows).toEqual([{ a: 1, statement_number: '1' }]);
    expect(sent).toEqual([
      ['SELECT $2::text AS statement_number, result.* FROM (SELECT $1 AS a) AS result', ['x', '1']],
    ]);
    await expect(client.query('SELECT $1 AS a', ['y'], call())).rejects.toThrow('the rows of another');
  });

  test('gets no statement that was abandoned while it waited for a connection', async () => {
    const { client, sent, answers } = withOneConnection();
    const [late, left] = [new AbortController(), new AbortController()];
    const first = client.query('first', [], call());
    const second = client.query('second', [], { signal: late.signal });
    const third = client.query('third', [], { ...call(), abandoned: left.signal });
    const fourth = client.query('fourth', [], call());
    await vi.waitFor(() => expect(sent).toEqual(['first']));
    late.abort(new Error('late'));
    await expect(second).rejects.toMatchObject({ message: 'late', notSent: true });
    left.abort(new Error('left'));
    answers[0]?.();
    await expect(third).rejects.toMatchObject({ message: 'left', notSent: true });
    await first;
    await vi.waitFor(() => expect(sent).toEqual(['first', 'fourth']));
    answers[1]?.();
    expect(await fourth).toEqual({ rows: [{ text: 'fourth' }] });
  });
});

describe('a pool of pg', () => {
  test('continues after an error of an idle client, or of one in use', async () => {
    const { pool, client, released } = poolOf(() => {
      client.emit('error', new Error('cut'));
      return Promise.reject(Object.assign(new Error('cut'), { code: 'ECONNRESET' }));
    });
    const adapted = pgClient(pool);
    pool.emit('error', new Error('idle'));
    await expect(adapted.query('SELECT', [], call())).rejects.toThrow('cut');
    expect(released).toEqual([true]);
    expect(client.listenerCount('error')).toBe(0);
    await adapted.close?.();
    expect(pool.listenerCount('error')).toBe(0);
  });

  test('has a listener once per client, however many stores use it', () => {
    const { pool, client } = poolOf(pending);
    for (let store = 0; store < 20; store++) pgClient(pool);
    expect([pool.listenerCount('error'), pool.listenerCount('acquire')]).toEqual([1, 1]);
    for (let use = 0; use < 3; use++) pool.emit('acquire', client);
    expect(client.listenerCount('error')).toBe(1);
    expect(client.emit('error', new Error('cut'))).toBe(true);
  });

  test('keeps its listeners until the last store that uses it is closed', async () => {
    const { pool } = poolOf(pending);
    const [first, second] = [pgClient(pool), pgClient(pool)];
    await first.close?.();
    expect([pool.listenerCount('error'), pool.listenerCount('acquire')]).toEqual([1, 1]);
    await second.close?.();
    expect([pool.listenerCount('error'), pool.listenerCount('acquire')]).toEqual([0, 0]);
  });

  test.each([
    ['23505', false],
    ['57P01', true],
    ['08006', true],
    [undefined, true],
  ])('destroys or keeps the connection after %s: %s', async (code, destroyed) => {
    const { pool, released } = poolOf(() => Promise.reject(Object.assign(new Error('no'), { code })));
    await expect(pgClient(pool).query('SELECT', [], call())).rejects.toThrow('no');
    expect(released).toEqual([destroyed]);
  });

  test('destroys the connection at the deadline', async () => {
    const { pool, released } = poolOf(pending);
    const deadline = new AbortController();
    const query = pgClient(pool).query('SELECT', [], { signal: deadline.signal });
    setImmediate(() => deadline.abort(new Error('late')));
    await expect(query).rejects.toThrow('late');
    expect(released).toEqual([true]);
  });

  test('cancels an abandoned read before its connection is destroyed, and never a write', async () => {
    const asked: string[] = [];
    const { pool, client, released } = poolOf(pending);
    // The first property that cancelling reads.
    Object.defineProperty(client, 'processID', { get: () => void asked.push('cancelled') });
    const give = async (abandoned?: AbortSignal): Promise<void> => {
      const deadline = new AbortController();
      const query = pgClient(pool).query('SELECT', [], { signal: deadline.signal, abandoned });
      setImmediate(() => deadline.abort(new Error('late')));
      await expect(query).rejects.toThrow('late');
      await new Promise(setImmediate);
    };
    await give();
    expect([asked, released]).toEqual([[], [true]]);
    await give(new AbortController().signal);
    expect([asked, released]).toEqual([['cancelled'], [true, true]]);
  });

  test('returns a connection that arrives after the deadline', async () => {
    const { pool, client, released } = poolOf(pending);
    let connect: (value: typeof client) => void = () => undefined;
    pool.connect = () => new Promise((resolve) => (connect = resolve));
    const query = pgClient(pool).query('SELECT', [], { signal: AbortSignal.abort(new Error('late')) });
    await expect(query).rejects.toMatchObject({ message: 'late', notSent: true });
    connect(client);
    await new Promise(setImmediate);
    expect(released).toEqual([false]);
  });

  test('does not send statements whose request has ended, and returns the connection', async () => {
    const texts: string[] = [];
    const { pool, released } = poolOf((text) => {
      texts.push(text);
      return pending();
    });
    const abandoned = AbortSignal.abort(new Error('left'));
    await expect(pgClient(pool).query('SELECT', [], { ...call(), abandoned })).rejects.toThrow('left');
    expect([texts, released]).toEqual([[], [false]]);
  });

  test('reports a held connection that breaks once, and destroys it', async () => {
    const { pool, client, released } = poolOf(() => Promise.resolve({ rows: [] }));
    const lost: string[] = [];
    const heard: string[] = [];
    await pgClient(pool).listen?.(
      'c',
      (payload) => heard.push(payload),
      () => lost.push('lost'),
    );
    client.emit('notification', { channel: 'c', payload: '5' });
    client.emit('notification', { channel: 'other', payload: '6' });
    client.emit('error', new Error('cut'));
    client.emit('end');
    expect([heard, lost, released]).toEqual([['5'], ['lost'], [true]]);
  });

  describe('listens for several stores', () => {
    /** A pool whose client responds later, and how to listen on it as another store. */
    const listening = (answer: (text: string) => Promise<{ rows: object[] }> = async () => ({ rows: [] })) => {
      const texts: string[] = [];
      let running = 0;
      const { pool, client, released } = poolOf(async (text) => {
        running += 1;
        expect(running).toBe(1);
        texts.push(text);
        await new Promise(setImmediate);
        running -= 1;
        return answer(text);
      });
      const connect = vi.spyOn(pool, 'connect');
      const events: string[] = [];
      const listen = (store: string, channel: string): Promise<() => Promise<void>> | undefined =>
        pgClient(pool).listen?.(
          channel,
          (payload) => events.push(`${store} ${payload}`),
          () => events.push(`${store} lost`),
        );
      return { client, released, connect, texts, events, listen };
    };

    test('over one connection, which is returned when the last one has stopped', async () => {
      const { client, released, connect, texts, events, listen } = listening();
      const stops = await Promise.all([listen('1', 'a'), listen('2', 'a'), listen('3', 'b')]);
      expect([connect.mock.calls.length, texts]).toEqual([1, ['LISTEN "a"', 'LISTEN "a"', 'LISTEN "b"']]);
      client.emit('notification', { channel: 'a', payload: '5' });
      client.emit('notification', { channel: 'b' });
      expect(events).toEqual(['1 5', '2 5', '3 ']);
      texts.length = 0;
      await Promise.all(stops.map(async (stop) => stop?.()));
      expect([texts, released]).toEqual([['UNLISTEN "a"', 'UNLISTEN "b"'], [false]]);
      expect(client.listenerCount('notification')).toBe(0);
    });

    test('over another one after a loss, which each of them receives once', async () => {
      const { client, released, connect, texts, events, listen } = listening();
      const stops = await Promise.all([listen('1', 'a'), listen('2', 'b')]);
      client.emit('end');
      expect([events, released]).toEqual([['1 lost', '2 lost'], [true]]);
      await listen('3', 'a');
      expect(connect).toHaveBeenCalledTimes(2);
      await Promise.all(stops.map(async (stop) => stop?.()));
      expect([texts.at(-1), released]).toEqual(['LISTEN "a"', [true]]);
    });

    test('and gives the connection up after a statement that fails, with those that wait behind it', async () => {
      const { released, connect, texts, listen } = listening(() => Promise.reject(new Error('no')));
      const outcomes = await Promise.allSettled([listen('1', 'a'), listen('2', 'b')]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect([texts, released]).toEqual([['LISTEN "a"'], [true]]);
      await expect(listen('3', 'a')).rejects.toThrow('no');
      expect(connect).toHaveBeenCalledTimes(2);
    });

    test('and tries again where no connection could be had', async () => {
      const { connect, events, listen } = listening();
      connect.mockRejectedValueOnce(new Error('none'));
      await expect(listen('1', 'a')).rejects.toThrow('none');
      await listen('1', 'a');
      expect(events).toEqual([]);
    });
  });
});

describe('requests', () => {
  const make = (client: Partial<PostgresClient>) => {
    const timers = fakeClock();
    const requests = createRequests({
      client: { query: pending, ...client },
      schema: 's',
      timeoutMs: 100,
      timers,
    });
    return { timers, requests };
  };
  const statement = { name: 'n', text: 'SELECT 1' };

  test('without a timely response are unavailable for reads and unknown for writes, whatever the driver does', async () => {
    const { timers, requests } = make({});
    const both = [requests.read(statement, []), requests.write(statement, [])];
    timers.advance(101);
    await expect(both[0]).rejects.toMatchObject({ code: 'unavailable', message: /no response within 100 ms/ });
    await expect(both[1]).rejects.toMatchObject({ code: 'unknown-outcome' });
  });

  test('that were abandoned release their connection within 250 ms, and are not sent late', async () => {
    const signals: AbortSignal[] = [];
    const { timers, requests } = make({
      query: (_text, _values, { signal }) => {
        signals.push(signal);
        return pending();
      },
    });
    const leaving = new AbortController();
    const read = requests.read(statement, [], leaving.signal);
    timers.advance(10);
    leaving.abort(new Error('left'));
    timers.advance(249);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    timers.advance(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await expect(read).rejects.toMatchObject({ code: 'unavailable' });
    await expect(requests.read(statement, [], leaving.signal)).rejects.toThrow('left');
    expect(signals).toHaveLength(1);
  });

  test('can be cancelled at their deadline if they read, also those that no request waits for', async () => {
    const cancellable: boolean[] = [];
    const { requests } = make({
      query: async (_text, _values, { abandoned }) => {
        cancellable.push(abandoned !== undefined);
        return { rows: [] };
      },
    });
    await requests.read(statement, []);
    await requests.write(statement, []);
    expect(cancellable).toEqual([true, false]);
  });

  test('fail as usual if the driver throws synchronously', async () => {
    const { requests } = make({
      query: () => {
        throw new Error('at once');
      },
    });
    await expect(requests.read(statement, [])).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('have named statements only after prepare()', async () => {
    const names: (string | undefined)[] = [];
    const { requests } = make({
      query: async (_text, _values, { name }) => {
        names.push(name);
        return { rows: [] };
      },
    });
    await requests.read(statement, []);
    requests.prepare();
    await requests.read(statement, []);
    expect(names).toEqual([undefined, 'n']);
  });

  test.each(['26000', '42P05'])('are sent again, and are no longer prepared, after error %s', async (code) => {
    const names: (string | undefined)[] = [];
    const { requests } = make({
      query: async (_text, _values, { name }) => {
        names.push(name);
        if (name !== undefined) throw Object.assign(new Error('prepared statement'), { code });
        return { rows: [] };
      },
    });
    requests.prepare();
    expect(await requests.write(statement, [])).toEqual([]);
    requests.prepare();
    await requests.read(statement, []);
    expect(names).toEqual(['n', undefined, undefined]);
  });
});

describe('the detection of LISTEN', () => {
  const check = (pooling: 'auto' | 'session' | 'transaction', delivers: boolean | undefined | (() => boolean)) => {
    const timers = fakeClock();
    let notify: (payload: string) => void = () => undefined;
    const client: PostgresClient = {
      async query(_text, [channel]) {
        if (typeof delivers === 'function' ? delivers() : delivers === true) notify(String(channel));
        return { rows: [] };
      },
      ...(delivers === undefined
        ? {}
        : {
            async listen(_channel: string, onNotify: (payload: string) => void) {
              notify = onNotify;
              return async () => undefined;
            },
          }),
    };
    const requests = createRequests({ client, schema: 's', timeoutMs: 100, timers });
    return { timers, check: createListenCheck({ client, requests, timers }, pooling) };
  };

  test.each([
    ['auto', true, true],
    ['auto', undefined, false],
    ['session', false, true],
    ['session', undefined, false],
    ['transaction', true, false],
  ] as const)('with pooling %s and delivery %s gives %s', async (pooling, delivers, expected) => {
    expect(await check(pooling, delivers).check.works()).toBe(expected);
  });

  test('assumes a pooler if a notification does not arrive within a second', async () => {
    const { timers, check: listening } = check('auto', false);
    const works = listening.works();
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    timers.advance(1_001);
    expect(await works).toBe(false);
    expect(await listening.works()).toBe(false);
  });

  test('assumes a pooler if only the first notification arrives, as when another store listens at that moment', async () => {
    let sent = 0;
    const { timers, check: listening } = check('auto', () => ++sent === 1);
    const works = listening.works();
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    timers.advance(1_001);
    expect([await works, sent]).toEqual([false, 2]);
  });

  test('is repeated when its connection was lost, and statements are prepared once it works', async () => {
    const names: unknown[] = [];
    let lose: () => void = () => undefined;
    let notify: (payload: string) => void = () => undefined;
    const client: PostgresClient = {
      async query(_text, [channel], { name }) {
        names.push(name);
        if (names.length === 1) lose();
        else notify(String(channel));
        return { rows: [] };
      },
      async listen(_channel, onNotify, onLost) {
        [notify, lose] = [onNotify, onLost];
        return async () => undefined;
      },
    };
    const timers = fakeClock();
    const requests = createRequests({ client, schema: 's', timeoutMs: 100, timers });
    const listening = createListenCheck({ client, requests, timers }, 'auto');
    await expect(listening.works()).rejects.toThrow('the connection that listened was lost');
    expect(await listening.works()).toBe(true);
    await requests.read({ name: 'n', text: 'SELECT' }, []);
    expect(names).toEqual([undefined, undefined, undefined, undefined, 'n']);
  });
});
