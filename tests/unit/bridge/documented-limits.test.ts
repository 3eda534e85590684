import { describe, expect, it } from 'vitest';
import { toFetchHandler } from '../../../src/bridge/fetch/handler.js';
import { gracefulClose, type ClosableServer } from '../../../src/bridge/node/graceful-close.js';
import { STALL_TIMEOUT_MS } from '../../../src/bridge/exchange/options.js';
import { createStallDetector, type Transfer } from '../../../src/bridge/exchange/stall-detector.js';
import type { ApiRequest } from '../../../src/http/request.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';

/** The defaults and constants of `docs/limits.md` that bridges have, each at its bound and beyond it. */

/** An answer of which the client takes nothing, or a little with every look. */
function transfer(moves: boolean): Transfer & { givenUp: number } {
  let taken = 0;
  return {
    givenUp: 0,
    progress: () => (moves ? (taken += 1) : 0),
    abandon() {
      this.givenUp += 1;
    },
  };
}

describe('a client that reads nothing', () => {
  it('is disconnected after 60 s by default, and at most 5 s later', () => {
    expect(STALL_TIMEOUT_MS).toBe(60_000);
    const clock = fakeClock();
    const stalls = createStallDetector(clock, STALL_TIMEOUT_MS);
    const still = transfer(false);
    const moving = transfer(true);
    stalls.add(still);
    stalls.add(moving);
    clock.advance(59_999);
    expect(still.givenUp).toBe(0);
    clock.advance(5_001);
    expect([still.givenUp, moving.givenUp]).toEqual([1, 0]);
    clock.advance(600_000);
    expect([still.givenUp, moving.givenUp]).toEqual([1, 0]);
  });

  it('is checked twelve times in a shorter timeout', () => {
    const clock = fakeClock();
    const stalls = createStallDetector(clock, 1_200);
    const still = transfer(false);
    stalls.add(still);
    clock.advance(1_199);
    expect(still.givenUp).toBe(0);
    clock.advance(101);
    expect(still.givenUp).toBe(1);
  });

  it('is not disconnected after it was removed, and with Infinity never', () => {
    const clock = fakeClock();
    const [removed, patient] = [transfer(false), transfer(false)];
    const stalls = createStallDetector(clock, 1_000);
    stalls.add(removed);
    stalls.remove(removed);
    createStallDetector(clock, Infinity).add(patient, 1);
    clock.advance(10_000_000);
    expect([removed.givenUp, patient.givenUp]).toEqual([0, 0]);
  });

  it('is disconnected at the longest duration although it reads slowly', () => {
    const clock = fakeClock();
    const stalls = createStallDetector(clock, 60_000);
    const slow = transfer(true);
    stalls.add(slow, 600_000);
    clock.advance(599_999);
    expect(slow.givenUp).toBe(0);
    clock.advance(5_000);
    expect(slow.givenUp).toBe(1);
  });
});

it('a body is limited by the handler alone, unless maxBodyBytes is lower', async () => {
  const read = async (maxBodyBytes: number | undefined, bytes: number, limit: number): Promise<number> => {
    const handler = toFetchHandler(
      async (request: ApiRequest) => {
        const body = (await request.body?.(limit)) as Uint8Array;
        return { status: 200, headers: {}, body: String(body.byteLength) };
      },
      maxBodyBytes === undefined ? {} : { maxBodyBytes },
    );
    const answer = await handler(new Request('http://host/', { method: 'POST', body: 'x'.repeat(bytes) }));
    return answer?.status ?? 0;
  };
  expect([await read(undefined, 5_000_000, 5_000_000), await read(undefined, 5_000_001, 5_000_000)]).toEqual([
    200, 413,
  ]);
  expect([await read(10, 10, 100), await read(10, 11, 100), await read(100, 11, 10)]).toEqual([200, 413, 413]);
  expect(await read(0, 1, 100)).toBe(413);
});

describe('gracefulClose without options', () => {
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

  /** A server of which the connections end when they are cut. */
  function server() {
    const told = { closed: 0, cut: 0 };
    let ended: (() => void) | undefined;
    const one: ClosableServer = {
      close(callback) {
        told.closed += 1;
        ended = callback as () => void;
      },
      closeIdleConnections: () => undefined,
      closeAllConnections() {
        told.cut += 1;
        ended?.();
      },
    };
    return { one, told };
  }

  it('closes remaining connections after 10,000 ms', async () => {
    const clock = fakeClock();
    const { one, told } = server();
    let inTime: boolean | undefined;
    void gracefulClose(one, { clock }).then((result) => (inTime = result));
    for (let step = 0; step < 10 && told.closed === 0; step += 1) {
      clock.advance(1);
      await settled();
    }
    expect(told.closed).toBe(1);
    clock.advance(9_999 - clock.monotonic());
    await settled();
    expect([told.cut, inTime]).toEqual([0, undefined]);
    clock.advance(1);
    await settled();
    expect([told.cut, inTime]).toEqual([1, false]);
  });

  it('closes idle connections after 2,000 ms', async () => {
    const clock = fakeClock();
    const { one } = server();
    let looked = 0;
    const closing = gracefulClose({ ...one, closeIdleConnections: () => void (looked += 1) }, { clock });
    clock.advance(1_950);
    await settled();
    expect(looked).toBe(0);
    clock.advance(100);
    await settled();
    expect(looked).toBe(1);
    clock.advance(10_000);
    await closing;
  });
});
