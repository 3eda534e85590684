import { describe, expect, test, vi } from 'vitest';
import type { NodeOutgoing } from '../../../../src/bridge/node/message.js';
import { pump, type PumpEnd } from '../../../../src/bridge/node/pump.js';

type Written = (error?: Error | null) => void;

/** A response of Node, whose writes end when the test ends them. */
class Outgoing {
  readonly chunks: string[] = [];
  readonly writes: Written[] = [];
  write(chunk: Uint8Array, written: Written): boolean {
    this.chunks.push(String(Buffer.from(chunk)));
    this.writes.push(written);
    return true;
  }
}

/** One over HTTP/2, recognised by its stream. */
class Http2Outgoing extends Outgoing {
  readonly stream = { close: (): void => undefined };
}

const asResponse = (res: Outgoing): NodeOutgoing => res as unknown as NodeOutgoing;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A source of endless chunks that records how it was used. */
function endless(chunk = 'a') {
  const returned = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
  const next = vi.fn(() => Promise.resolve({ done: false as const, value: Buffer.from(chunk) }));
  return { returned, next, body: { [Symbol.asyncIterator]: () => ({ next, return: returned }) } };
}

describe('a write that fails', () => {
  test.each([
    ['HTTP/1', () => new Outgoing()],
    ['HTTP/2', () => new Http2Outgoing()],
  ])('ends the source over %s and pulls no further chunk', async (_, make) => {
    const res = make();
    const source = endless();
    const done = vi.fn<(end: PumpEnd) => void>();
    pump(source.body, asResponse(res), done);
    await settled();
    res.writes[0]?.();
    await settled();
    expect(source.next).toHaveBeenCalledTimes(2);
    res.writes[1]?.(new Error('write EPIPE'));
    await settled();
    expect(source.next).toHaveBeenCalledTimes(2);
    expect(source.returned).toHaveBeenCalledOnce();
    expect(res.chunks).toEqual(['a', 'a']);
    // A client that left is no failure of the response.
    expect(done).not.toHaveBeenCalled();
  });

  test('half-way through a large chunk over HTTP/2 drops the rest of it', async () => {
    const res = new Http2Outgoing();
    const source = endless('x'.repeat(100_000));
    const running = pump(source.body, asResponse(res), () => undefined);
    await settled();
    res.writes[0]?.();
    res.writes[1]?.(new Error('stream closed'));
    await settled();
    expect(res.chunks.map(({ length }) => length)).toEqual([32_768, 32_768]);
    expect(running.writes).toBe(2);
    expect(source.returned).toHaveBeenCalledOnce();
  });

  test('by throwing ends the source and is reported', async () => {
    const source = endless();
    const broken = new Error('write after end');
    class Throwing extends Outgoing {
      override write(): boolean {
        throw broken;
      }
    }
    const done = vi.fn<(end: PumpEnd) => void>();
    pump(source.body, asResponse(new Throwing()), done);
    await settled();
    expect(source.returned).toHaveBeenCalledOnce();
    expect(done.mock.calls).toEqual([[{ failed: true, error: broken }]]);
  });
});

describe('a pump that is stopped', () => {
  test('ends the source once, and does not report how it ended', async () => {
    const res = new Outgoing();
    const source = endless();
    const done = vi.fn<(end: PumpEnd) => void>();
    const running = pump(source.body, asResponse(res), done);
    await settled();
    running.stop();
    running.stop();
    res.writes[0]?.();
    await settled();
    expect(source.returned).toHaveBeenCalledOnce();
    expect(source.next).toHaveBeenCalledOnce();
    expect(done).not.toHaveBeenCalled();
  });
});

test('a large chunk is one write over HTTP/1, and pieces of 32 KiB over HTTP/2', async () => {
  const one = new Outgoing();
  pump(endless('x'.repeat(65_537)).body, asResponse(one), () => undefined);
  const two = new Http2Outgoing();
  pump(endless('x'.repeat(65_537)).body, asResponse(two), () => undefined);
  await settled();
  for (let index = 0; index < 3; index++) two.writes[index]?.();
  expect(one.chunks.map(({ length }) => length)).toEqual([65_537]);
  expect(two.chunks.map(({ length }) => length)).toEqual([32_768, 32_768, 1]);
});

test('a response whose write was replaced by middleware gets copies, is flushed, and is awaited by `drain`', async () => {
  const given = Buffer.from('a');
  const kept: Uint8Array[] = [];
  const drains: (() => void)[] = [];
  const flush = vi.fn();
  const res = {
    write: (chunk: Uint8Array) => (kept.push(chunk), false),
    once: (event: string, listener: () => void) => event === 'drain' && drains.push(listener),
    flush,
  };
  const next = vi.fn(() => Promise.resolve({ done: false as const, value: given }));
  pump({ [Symbol.asyncIterator]: () => ({ next }) }, res as unknown as NodeOutgoing, () => undefined);
  for (let turn = 0; turn < 3; turn++) await settled();
  given.write('b');
  expect(String(kept[0])).toBe('a');
  expect(flush).toHaveBeenCalledOnce();
  expect(next).toHaveBeenCalledOnce();
  drains[0]?.();
  await settled();
  expect(next).toHaveBeenCalledTimes(2);
});
