import { describe, expect, test, vi } from 'vitest';
import { createEtcdClient } from '../../../../src/store/etcd/client.js';
import type {
  Connection,
  Pending,
  RangeResponse,
  TxnResponse,
  WatchListener,
} from '../../../../src/store/etcd/connection.js';
import { etcdFailure } from '../../../../src/store/etcd/failure.js';
import { etcdSettings } from '../../../../src/store/etcd/options.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

type Answer<T> = T | Error | 'silence';

interface Fake extends Connection {
  readonly asked: string[];
  readonly listeners: WatchListener[];
}

const RANGE: RangeResponse = { revision: 5, kvs: [], more: false, count: 0 };
const DONE: TxnResponse = { revision: 6, succeeded: true, steps: [] };
const REFUSED: TxnResponse = { revision: 6, succeeded: false, steps: [] };
const lost = (): Error => etcdFailure(14, 'connection dropped', true);
const away = (): Error => etcdFailure(14, 'connection refused', false);
const badToken = (): Error => etcdFailure(16, 'etcdserver: invalid auth token', true);

function fake(endpoint: string, answers: readonly Answer<RangeResponse | TxnResponse>[], tokens: string[] = []): Fake {
  const left = [...answers];
  const asked: string[] = [];
  const listeners: WatchListener[] = [];
  const ask = <T>(what: string): Pending<T> => {
    asked.push(what);
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer === 'silence') {
      let cancel = (): void => undefined;
      const done = new Promise<T>((_, reject) => {
        cancel = () => reject(etcdFailure(4, 'did not respond in time', true));
      });
      return { done, cancel };
    }
    const done = answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as T);
    return { done, cancel: () => undefined };
  };
  return {
    endpoint,
    asked,
    listeners,
    range: (_, token) => ask(`range ${token ?? '-'}`),
    txn: (_, token) => ask(`txn ${token ?? '-'}`),
    compact: () => ask('compact'),
    bytesInUse: () => ask('bytesInUse'),
    authenticate: () => ({ done: Promise.resolve(tokens.shift() ?? 'none'), cancel: () => undefined }),
    watch(_request, _token, listener) {
      listeners.push(listener);
      return { cancel: () => undefined, pause: () => undefined, resume: () => undefined };
    },
    close: () => undefined,
  };
}

const clock = fakeClock();
const key = new Uint8Array(1);
const txn = { compare: [], success: [], failure: [] };

function clientOf(members: readonly Fake[], login: object = {}): ReturnType<typeof createEtcdClient> {
  const endpoints = members.map(({ endpoint }) => endpoint);
  return createEtcdClient(members, etcdSettings({ endpoints, clock, operationTimeoutMs: 3000, ...login }));
}

/** Moves the clock on until the promise is settled. */
async function settle<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = (): void => {
    settled = true;
  };
  promise.then(done, done);
  for (let i = 0; i < 500 && !settled; i++) {
    await nextTurn();
    if (!settled) clock.advance(50);
  }
  return promise;
}

describe('reads', () => {
  test('switch to the next member, and stay with it', async () => {
    const members = [fake('http://a:1', [lost()]), fake('http://b:1', [RANGE])];
    const client = clientOf(members);
    expect(await settle(client.range({ key }, client.callContext(undefined)))).toEqual(RANGE);
    await settle(client.range({ key }, client.callContext(undefined)));
    expect(members.map(({ asked }) => asked.length)).toEqual([1, 2]);
  });

  test('wait for a silent member for its timeout, and no longer', async () => {
    const members = [fake('http://a:1', ['silence']), fake('http://b:1', [RANGE])];
    const client = clientOf(members);
    const begun = clock.monotonic();
    await settle(client.range({ key }, client.callContext(undefined)));
    expect(clock.monotonic() - begun).toBeGreaterThanOrEqual(1000);
    expect(clock.monotonic() - begun).toBeLessThan(1500);
  });

  test('end with unavailable and the reason when the time is over', async () => {
    const client = clientOf([fake('http://a:1', [lost()]), fake('http://b:1', [lost()])]);
    const read = settle(client.range({ key }, client.callContext(undefined)));
    await expect(read).rejects.toMatchObject({ code: 'unavailable' });
    await expect(read).rejects.toThrow(/http:\/\/a:1, http:\/\/b:1.*connection dropped/);
  });

  test('end with the reason of the attempt before the last one, if the end cut that short', async () => {
    const client = clientOf([fake('http://a:1', [lost(), 'silence'])], { operationTimeoutMs: 500 });
    const read = settle(client.range({ key }, client.callContext(undefined)));
    await expect(read).rejects.toThrow(/connection dropped/);
  });

  test('end with the last reason, if attempts before it had no response', async () => {
    const client = clientOf([fake('http://a:1', ['silence', lost()])], { operationTimeoutMs: 1500 });
    const read = settle(client.range({ key }, client.callContext(undefined)));
    await expect(read).rejects.toThrow(/connection dropped/);
  });

  test('are not attempted again when the client was closed', async () => {
    const member = fake('http://a:1', [away()]);
    const client = clientOf([member]);
    const begun = clock.monotonic();
    const read = client.range({ key }, client.callContext(undefined));
    read.catch(() => undefined);
    await nextTurn();
    client.close();
    await expect(settle(read)).rejects.toMatchObject({ code: 'unavailable' });
    expect(member.asked.length).toBe(1);
    expect(clock.monotonic() - begun).toBeLessThan(100);
  });

  test('end at once with the reason of an aborted signal', async () => {
    const client = clientOf([fake('http://a:1', ['silence'])]);
    const abort = new AbortController();
    const read = client.range({ key }, client.callContext(abort.signal));
    await nextTurn();
    const reason = new Error('gone');
    abort.abort(reason);
    await expect(read).rejects.toBe(reason);
  });
});

describe('writes', () => {
  test('that never reached a member are unavailable', async () => {
    const client = clientOf([fake('http://a:1', [away()])]);
    await expect(settle(client.txn(txn, client.callContext(undefined)))).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('that were lost are repeated, and succeed', async () => {
    const members = [fake('http://a:1', [lost()]), fake('http://b:1', [DONE])];
    const client = clientOf(members);
    expect(await settle(client.txn(txn, client.callContext(undefined)))).toEqual(DONE);
  });

  test('whose condition fails after a loss are uncertain, and certain when they are sent again', async () => {
    const client = clientOf([fake('http://a:1', [lost()]), fake('http://b:1', [REFUSED])]);
    const context = client.callContext(undefined);
    await expect(settle(client.txn(txn, context))).rejects.toMatchObject({ code: 'unknown-outcome' });
    expect(await settle(client.txn(txn, context))).toEqual(REFUSED);
  });

  test('that must not be repeated are unknown-outcome at once, but continue with the next member if they were never sent', async () => {
    const members = [fake('http://a:1', [away()]), fake('http://b:1', [lost()]), fake('http://c:1', [DONE])];
    const client = clientOf(members);
    const once = settle(client.txnOnce(txn, client.callContext(undefined)));
    await expect(once).rejects.toMatchObject({ code: 'unknown-outcome' });
    expect(members.map(({ asked }) => asked.length)).toEqual([1, 1, 0]);
    expect(await settle(client.txnOnce(txn, client.callContext(undefined)))).toEqual(DONE);
    const late = client.callContext(undefined);
    clock.advance(3000);
    await expect(client.txnOnce(txn, late)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('that are lost until the time is over are unknown-outcome', async () => {
    const client = clientOf([fake('http://a:1', [lost()])]);
    await expect(settle(client.txn(txn, client.callContext(undefined)))).rejects.toMatchObject({
      code: 'unknown-outcome',
    });
  });
});

test('a token is requested once, and again when it is no longer valid', async () => {
  const member = fake('http://a:1', [RANGE, badToken(), RANGE], ['first', 'second']);
  const client = clientOf([member], { username: 'u', password: 'p' });
  const read = (): Promise<RangeResponse> => settle(client.range({ key }, client.callContext(undefined)));
  await Promise.all([read(), read()]);
  await read();
  expect(member.asked).toEqual(['range first', 'range first', 'range second', 'range second']);
});

test('calls whose token is refused at the same time share the next one', async () => {
  const member = fake('http://a:1', [RANGE, badToken(), badToken(), badToken(), RANGE], ['first', 'second', 'third']);
  const client = clientOf([member], { username: 'u', password: 'p' });
  const read = (): Promise<RangeResponse> => settle(client.range({ key }, client.callContext(undefined)));
  await read();
  await Promise.all([read(), read(), read()]);
  const [first, second] = ['range first', 'range second'];
  expect(member.asked).toEqual([first, first, first, first, second, second, second]);
});

test('a call that is aborted during the login fails no other call that waits for it', async () => {
  const member = fake('http://a:1', [RANGE]);
  let loggedIn = (_token: string): void => undefined;
  let givenUp = (_failure: Error): void => undefined;
  const logins: unknown[] = [];
  const client = clientOf(
    [
      {
        ...member,
        authenticate(...login) {
          logins.push(login);
          const done = new Promise<string>((resolve, reject) => {
            loggedIn = resolve;
            givenUp = reject;
          });
          return { done, cancel: () => givenUp(away()) };
        },
      },
    ],
    { username: 'u', password: 'p' },
  );
  const first = new AbortController();
  const aborted = client.range({ key }, client.callContext(first.signal));
  const other = client.range({ key }, client.callContext(undefined));
  first.abort(new Error('given up'));
  await expect(aborted).rejects.toThrow('given up');
  loggedIn('token');
  await expect(other).resolves.toEqual(RANGE);
  expect(logins).toHaveLength(1);
});

test('a watch that etcd refuses does not discard a token that is newer than its own', async () => {
  const member = fake('http://a:1', [RANGE, badToken(), RANGE], ['first', 'second', 'third']);
  const client = clientOf([member], { username: 'u', password: 'p' });
  const read = (): Promise<RangeResponse> => settle(client.range({ key }, client.callContext(undefined)));
  await client.watch(
    { key, rangeEnd: key, startRevision: 1 },
    { response: () => undefined, end: () => undefined },
    client.callContext(undefined),
  );
  await read();
  await read();
  member.listeners[0]?.response({
    revision: 5,
    created: true,
    canceled: true,
    compactRevision: 0,
    cancelReason: 'permission denied',
    fragment: false,
    events: [],
  });
  await read();
  expect(member.asked).toEqual(['range first', 'range first', 'range second', 'range second']);
});

test('a watch is ended when the client leaves its member', async () => {
  const members = [fake('http://a:1', [lost()]), fake('http://b:1', [RANGE])];
  const client = clientOf(members);
  const end = vi.fn();
  const request = { key, rangeEnd: key, startRevision: 1 };
  await client.watch(request, { response: () => undefined, end }, client.callContext(undefined));
  expect(members[0]?.listeners).toHaveLength(1);
  await settle(client.range({ key }, client.callContext(undefined)));
  expect(end).toHaveBeenCalledOnce();
});
