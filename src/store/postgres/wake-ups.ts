import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { Revision } from '../contract/event-store.js';
import { createDelays } from '../waiting/backoff.js';
import type { PostgresClient } from './client.js';
import type { ListenCheck } from './listen-check.js';

/** For {@link createWakeUps}. */
export interface WakeUpsOptions {
  readonly client: PostgresClient;
  readonly channel: string;
  /** Whether LISTEN is of use. */
  readonly check: ListenCheck;
  readonly pollMs: number;
  readonly pollWithoutListenMs: number;
  readonly timers: Clock;
  /** How many feeds are read. */
  readers(): number;
  /** Feeds look again. */
  wake(): void;
  /** Receives what went wrong; it is tried again. */
  onError(error: unknown): void;
}

/** Wakes feeds: at writes of this store, at notifications of others, and every now and then. */
export interface WakeUps {
  /** There is a reader: begins to listen and to poll. */
  start(): void;
  /** This store has written. */
  written(latest: Revision): void;
  close(): Promise<void>;
}

/** Makes {@link WakeUps}. A connection is held for LISTEN while there are readers, and until the next poll after that. */
export function createWakeUps(options: WakeUpsOptions): WakeUps {
  const { client, channel, check, pollMs, pollWithoutListenMs, timers, readers, wake, onError } = options;
  let timer: ClockTimer | undefined;
  let unlisten: (() => Promise<void>) | undefined;
  let attempting: Promise<void> | undefined;
  let retryAt = 0;
  const pauses = createDelays();
  /** Feeds were woken for this revision, and look after that. */
  let announced = 0;
  let closed = false;

  const hear = (payload: string): void => {
    const revision = Number(payload);
    if (payload !== '' && revision <= announced) return;
    announced = Math.max(announced, revision);
    wake();
  };

  const attempt = async (): Promise<void> => {
    try {
      if (!(await check.works()) || closed || client.listen === undefined) return;
      const stop = await client.listen(channel, hear, () => {
        unlisten = undefined;
        retryAt = timers.monotonic();
        announced = 0;
        plan();
      });
      unlisten = stop;
      pauses.reset();
      // What was written before the server agreed was not announced.
      wake();
    } catch (error) {
      retryAt = timers.monotonic() + pauses.next();
      onError(error);
    }
  };

  const letGo = async (): Promise<void> => {
    const stop = unlisten;
    unlisten = undefined;
    await stop?.().catch(onError);
  };

  const tick = (): void => {
    timer = undefined;
    if (readers() === 0) {
      void (attempting ?? Promise.resolve()).then(() => (readers() === 0 ? letGo() : undefined));
      return;
    }
    wake();
    if (unlisten === undefined && attempting === undefined && check.mayWork() && timers.monotonic() >= retryAt) {
      attempting = attempt().finally(() => {
        attempting = undefined;
      });
    }
    plan();
  };

  const plan = (): void => {
    timer?.cancel();
    timer = undefined;
    if (closed) return;
    timer = timers.setTimer(tick, unlisten === undefined ? pollWithoutListenMs : pollMs);
  };

  return {
    start() {
      if (closed || timer !== undefined) return;
      tick();
    },
    written(latest) {
      announced = Math.max(announced, latest);
      wake();
    },
    async close() {
      closed = true;
      timer?.cancel();
      await attempting;
      await letGo();
    },
  };
}
