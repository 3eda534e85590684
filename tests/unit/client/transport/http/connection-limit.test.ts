import { expect, it } from 'vitest';
import { createConnectionLimit } from '../../../../../src/client/transport/http/connection-limit.js';

it('gives connections in the order of requests, and none to those that were aborted while they waited', async () => {
  const acquire = createConnectionLimit(1);
  const releaseFirst = await acquire(undefined);
  const reason = new Error('enough');
  const leaving = AbortSignal.abort(reason);
  await expect(acquire(leaving)).rejects.toBe(reason);
  const stopping = new AbortController();
  const given: string[] = [];
  const wait = async (name: string, signal?: AbortSignal): Promise<void> => {
    const release = await acquire(signal);
    given.push(name);
    release();
  };
  const aborted = wait('aborted', stopping.signal);
  const others = [wait('second'), wait('third')];
  stopping.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  expect(given).toEqual([]);
  releaseFirst();
  await Promise.all(others);
  expect(given).toEqual(['second', 'third']);
});

it('releases a connection once, however often it is told to', async () => {
  const acquire = createConnectionLimit(1);
  const release = await acquire(undefined);
  release();
  release();
  await acquire(undefined);
  const stopping = new AbortController();
  const waiting = acquire(stopping.signal);
  stopping.abort(new Error('no connection was free'));
  await expect(waiting).rejects.toThrow('no connection was free');
});

it('leaves a connection with a request that is aborted just after it got it', async () => {
  const acquire = createConnectionLimit(1);
  const releaseFirst = await acquire(undefined);
  const stopping = new AbortController();
  const second = acquire(stopping.signal);
  releaseFirst();
  stopping.abort(new Error('too late'));
  (await second)();
  expect(await acquire(undefined)).toBeTypeOf('function');
});
