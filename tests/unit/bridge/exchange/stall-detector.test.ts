import { expect, test } from 'vitest';
import { createStallDetector, type Transfer } from '../../../../src/bridge/exchange/stall-detector.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

/** A detector with a timeout of 12 s, which checks each second, and the timers that it has set. */
function createBench(stallTimeoutMs = 12_000) {
  const { setTimer, ...clock } = fakeClock();
  let timers = 0;
  const counting = {
    ...clock,
    setTimer(callback: () => void, ms: number) {
      timers += 1;
      return setTimer(callback, ms);
    },
  };
  return { detector: createStallDetector(counting, stallTimeoutMs), advance: clock.advance, timers: () => timers };
}

function createTransfer(progress?: number): Transfer & { read: number | undefined; readonly abandoned: () => number } {
  let abandoned = 0;
  return {
    read: progress,
    progress() {
      return this.read;
    },
    abandon: () => void (abandoned += 1),
    abandoned: () => abandoned,
  };
}

test('a client that reads nothing for the timeout is abandoned once, and one that reads is not', () => {
  const { detector, advance } = createBench();
  const [stalled, reading, idle] = [createTransfer(1), createTransfer(1), createTransfer()];
  for (const transfer of [stalled, reading, idle]) detector.add(transfer);
  for (let second = 0; second < 11; second++) {
    advance(1000);
    reading.read = second % 2;
  }
  expect(stalled.abandoned()).toBe(0);
  advance(1000);
  expect([stalled, reading, idle].map((transfer) => transfer.abandoned())).toEqual([1, 0, 0]);
  advance(60_000);
  expect([stalled, reading, idle].map((transfer) => transfer.abandoned())).toEqual([1, 1, 0]);
});

test('a response ends after its longest time, even if the client reads', () => {
  const { detector, advance } = createBench();
  const reading = createTransfer(0);
  detector.add(reading, 3000);
  for (const abandoned of [0, 0, 1]) {
    reading.read = (reading.read ?? 0) + 1;
    advance(1000);
    expect(reading.abandoned()).toBe(abandoned);
  }
});

test('all responses share one timer, and without one there is none', () => {
  const { detector, advance, timers } = createBench();
  expect(timers()).toBe(0);
  const transfers = [createTransfer(1), createTransfer(1), createTransfer(1)];
  for (const transfer of transfers) detector.add(transfer);
  expect(timers()).toBe(1);
  advance(2000);
  expect(timers()).toBe(3);
  for (const transfer of transfers) detector.remove(transfer);
  advance(60_000);
  expect(timers()).toBe(3);
  expect(transfers.map((transfer) => transfer.abandoned())).toEqual([0, 0, 0]);
  detector.add(createTransfer(1));
  expect(timers()).toBe(4);
});

test('with long timeouts clients are checked every five seconds', () => {
  const { detector, advance } = createBench(3_600_000);
  const transfer = createTransfer(1);
  detector.add(transfer, 1);
  advance(4999);
  expect(transfer.abandoned()).toBe(0);
  advance(1);
  expect(transfer.abandoned()).toBe(1);
});

test('without a timeout nothing is watched', () => {
  const { detector, timers } = createBench(Infinity);
  detector.add(createTransfer(1), 1);
  expect(timers()).toBe(0);
});
