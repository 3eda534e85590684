import { describe, expect, test, vi } from 'vitest';
import { BodyReading } from '../../../../src/bridge/exchange/body-reading.js';

/** A reading that has begun, and the signal of its reader. */
function begun() {
  const controller = new AbortController();
  const add = vi.spyOn(controller.signal, 'addEventListener');
  const remove = vi.spyOn(controller.signal, 'removeEventListener');
  const reading = new BodyReading();
  const reject = vi.fn();
  reading.begin(reject, controller);
  return { controller, reading, reject, listeners: () => [add.mock.calls.length, remove.mock.calls.length] };
}

describe('the reading of a body', () => {
  test('is pending from its beginning to its end', () => {
    const { reading } = begun();
    expect([new BodyReading().isPending, reading.isPending]).toEqual([false, true]);
    reading.finish();
    expect(reading.isPending).toBe(false);
  });

  test('is stopped once, with the given error or as aborted by the client', () => {
    const { reading, reject } = begun();
    const error = new Error('why');
    reading.stop(error);
    reading.stop(new Error('later'));
    expect(reject.mock.calls).toEqual([[error]]);
    const other = begun();
    other.reading.stop();
    expect(other.reject.mock.calls).toMatchObject([[{ name: 'BodyError', code: 'aborted' }]]);
    expect(() => new BodyReading().stop()).not.toThrow();
  });

  test('listens to the signal of its reader once, until it ends', () => {
    const { controller, listeners, reading, reject } = begun();
    reading.subscribe();
    reading.subscribe();
    expect(listeners()).toEqual([1, 0]);
    reading.finish();
    reading.finish();
    expect(listeners()).toEqual([1, 1]);
    controller.abort();
    reading.subscribe();
    expect([reject.mock.calls.length, listeners()[0]]).toEqual([0, 1]);
  });

  test('listens to the signal of the next reader, although that of the first was aborted before it began', () => {
    const { controller, reading } = begun();
    controller.abort();
    reading.subscribe();
    const next = new AbortController();
    const rejectNext = vi.fn();
    reading.begin(rejectNext, next);
    reading.subscribe();
    next.abort('next');
    expect(rejectNext.mock.calls).toEqual([['next']]);
  });

  test('removes no listener from a signal that it never read', () => {
    const { listeners, reading } = begun();
    reading.finish();
    expect(listeners()).toEqual([0, 0]);
  });

  test('is stopped with the reason of the signal, aborted before or after', () => {
    for (const early of [true, false]) {
      const { controller, reading, reject } = begun();
      if (early) controller.abort('why');
      reading.subscribe();
      controller.abort('why');
      expect(reject.mock.calls).toEqual([['why']]);
    }
    const without = new BodyReading();
    without.begin(vi.fn(), undefined);
    expect(() => without.subscribe()).not.toThrow();
  });
});
