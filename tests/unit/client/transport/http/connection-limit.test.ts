import { expect, it } from 'vitest';
import { createConnectionLimit } from '../../../../../src/client/transport/http/connection-limit.js';

it('gives turns in the order of requests, and none to those that were aborted while they waited', async () => {
  const turn = createConnectionLimit(1);
  const endFirst = await turn(undefined);
  const reason = new Error('enough');
  const leaving = AbortSignal.abort(reason);
  await expect(turn(leaving)).rejects.toBe(reason);
  const stopping = new AbortController();
  const given: string[] = [];
  const wait = async (name: string, signal?: AbortSignal): Promise<void> => {
    const end = await turn(signal);
    given.push(name);
    end();
  };
  const aborted = wait('aborted', stopping.signal);
  const others = [wait('second'), wait('third')];
  stopping.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  expect(given).toEqual([]);
  endFirst();
  await Promise.all(others);
  expect(given).toEqual(['second', 'third']);
});

it('ends a turn once, however often it is told', async () => {
  const turn = createConnectionLimit(1);
  const end = await turn(undefined);
  end();
  end();
  await turn(undefined);
  const stopping = new AbortController();
  const waiting = turn(stopping.signal);
  stopping.abort(new Error('no turn was free'));
  await expect(waiting).rejects.toThrow('no turn was free');
});

it('leaves a turn with a request that is aborted just after it got it', async () => {
  const turn = createConnectionLimit(1);
  const endFirst = await turn(undefined);
  const stopping = new AbortController();
  const second = turn(stopping.signal);
  endFirst();
  stopping.abort(new Error('too late'));
  (await second)();
  expect(await turn(undefined)).toBeTypeOf('function');
});
