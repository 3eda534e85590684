import { describe, expect, it } from 'vitest';
import { toFetchHandler } from '../../../src/bridge/fetch/handler.js';
import { gracefulClose, type ClosableServer } from '../../../src/bridge/node/graceful-close.js';
import { STALL_TIMEOUT_MS } from '../../../src/bridge/exchange/options.js';
import { createStallDetector, type Transfer } from '../../../src/bridge/exchange/stall-detector.js';
import type { ApiRequest } from '../../../src/http/request.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';

/** The defaults and constants of `docs/limits.md` that bridges have, each at its bound and beyond it. */

/** A response of which the client reads nothing, or a little before every check. */
function transfer(moves: boolean): Transfer & { abandonments: number } {
  let taken = 0;
  return {
    abandonments: 0,
    progress: () => (moves ? (taken += 1) : 0),
    abandon() {
      this.abandonments += 1;
    },
  };
}

describe('a client that does not keep up', () => {
  it('is disconnected after 60 s without progress by default, and at most 5 s later', () => {
    expect(STALL_TIMEOUT_MS).toBe(60_000);
    const clock = fakeClock();
    const stalls = createStallDetector(clock, STALL_TIMEOUT_MS);
    const still = transfer(false);
    const moving = transfer(true);
    stalls.add(still);
    stalls.add(moving);
    clock.advance(59_999);
    expect(still.abandonments).toBe(0);
    clock.advance(5_001);
    expect([still.abandonments, moving.abandonments]).toEqual([1, 0]);
    clock.advance(600_000);
    expect([still.abandonments, moving.abandonments]).toEqual([1, 0]);
  });

  it('is checked twelve times in a shorter timeout', () => {
    const clock = fakeClock();
    const stalls = createStallDetector(clock, 1_200);
    const still = transfer(false);
    stalls.add(still);
    clock.advance(1_199);
    expect(still.abandonments).toBe(0);
    clock.advance(101);
    expect(still.abandonments).toBe(1);
  });

  it('is not disconnected after it was removed, and with Infinity never', () => {
    const clock = fakeClock();
    const [removed, patient] = [transfer(false), transfer(false)];
    const stalls = createStallDetector(clock, 1_000);
    stalls.add(removed);
    stalls.remove(removed);
    createStallDetector(clock, Infinity).add(patient, 1);
    clock.advance(10_000_000);
    expect([removed.abandonments, patient.abandonments]).toEqual([0, 0]);
  });

  it('is disconnected after the longest duration although it reads slowly', () => {
    const clock = fakeClock();
    const stalls = createStallDetector(clock, 60_000);
    const slow = transfer(true);
    stalls.add(slow, 600_000);
    clock.advance(599_999);
    expect(slow.abandonments).toBe(0);
    clock.advance(5_000);
    expect(slow.abandonments).toBe(1);
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
    const response = await handler(new Request('http://host/', { method: 'POST', body: 'x'.repeat(bytes) }));
    return response?.status ?? 0;
  };
  expect([await read(undefined, 5_000_000, 5_000_000), await read(undefined, 5_000_001, 5_000_000)]).toEqual([
    200, 413,
  ]);
  expect([await read(10, 10, 100), await read(10, 11, 100), await read(100, 11, 10)]).toEqual([200, 413, 413]);
  expect(await read(0, 1, 100)).toBe(413);
});

describe('gracefulClose without options', () => {
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

  /** A server whose connections end with `closeAllConnections`. */
  function server() {
    const calls = { closed: 0, cut: 0 };
    let ended: (() => void) | undefined;
    const one: ClosableServer = {
      close(callback) {
        calls.closed += 1;
        ended = callback as () => void;
      },
      closeIdleConnections: () => undefined,
      closeAllConnections() {
        calls.cut += 1;
        ended?.();
      },
    };
    return { one, calls };
  }

  it('closes remaining connections after 10,000 ms', async () => {
    const clock = fakeClock();
    const { one, calls } = server();
    let inTime: boolean | undefined;
    void gracefulClose(one, { clock }).then((result) => (inTime = result));
    for (let step = 0; step < 10 && calls.closed === 0; step += 1) {
      clock.advance(1);
      await settled();
    }
    expect(calls.closed).toBe(1);
    clock.advance(9_999 - clock.monotonic());
    await settled();
    expect([calls.cut, inTime]).toEqual([0, undefined]);
    clock.advance(1);
    await settled();
    expect([calls.cut, inTime]).toEqual([1, false]);
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
