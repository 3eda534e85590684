import type { ClockTimer } from '../../clock/clock.js';
import type { FailureSeries } from '../../observe/failure-series.js';
import type { Revision } from '../contract/event-store.js';
import type { PagedFeeds } from '../feeds/paged-feed.js';
import { pause } from '../../clock/abortable.js';
import { createDelays } from '../../clock/backoff.js';
import { channelOf } from './names.js';
import type { PostgresStoreOptions } from './options.js';
import type { StoreParts } from './requests.js';

const WAIT_MS = 1_000;
/** A pooler may pass on one notification: when another store listens over the same connection at that moment. */
const NOTIFICATIONS = 3;

/**
 * Whether LISTEN works: with `auto` it notifies a random channel that it listens on over another connection, several
 * times. A pooler in transaction mode loses that: the listening connection belongs to another client by then.
 */
export function createListenCheck(
  { client, requests, timers }: Pick<StoreParts, 'client' | 'requests' | 'timers'>,
  pooling: NonNullable<PostgresStoreOptions['pooling']>,
) {
  const { listen } = client;
  let known = listen === undefined ? false : pooling === 'auto' ? undefined : pooling === 'session';
  let asking: Promise<boolean> | undefined;
  let resolveResult: (result: boolean) => void = () => undefined;

  const ask = async (listening: NonNullable<typeof listen>): Promise<boolean> => {
    const channel = `kube_vitals_${crypto.randomUUID()}`;
    let received: () => void = () => undefined;
    let lost: () => void = () => undefined;
    const result = new Promise<boolean>((resolve, reject) => {
      resolveResult = resolve;
      // As any connection may be: it says nothing about a pooler.
      lost = () => reject(new Error('the connection that listened was lost'));
    });
    result.catch(() => undefined);
    const stop = await listening(channel, () => received(), lost);
    let timer: ClockTimer | undefined;
    try {
      const text = 'SELECT pg_notify($1::text, $1::text)::text AS notified';
      for (let sent = 0; sent < NOTIFICATIONS; sent++) {
        const next = new Promise<true>((resolve) => (received = () => resolve(true)));
        await requests.read({ name: 'kube_vitals.listen_check', text }, [channel]);
        // Not from before: a server that was frozen until its response says nothing about a pooler either.
        timer = timers.setTimer(() => resolveResult(false), WAIT_MS);
        if (!(await Promise.race([next, result]))) return false;
        timer.cancel();
      }
      return true;
    } finally {
      timer?.cancel();
      await stop().catch(() => undefined);
    }
  };

  return {
    /**
     * Whether LISTEN works; checked once. If it does, statements are prepared from then on. Fails when the check was not
     * possible; the next call repeats it.
     */
    async works(): Promise<boolean> {
      if (known === undefined && listen !== undefined) {
        asking ??= ask(listen).finally(() => {
          asking = undefined;
        });
        known = await asking;
      }
      if (known === true) requests.prepare();
      return known ?? false;
    },
    close: (): void => resolveResult(false),
  };
}

interface WakeUpsOptions extends Pick<StoreParts, 'client' | 'schema' | 'timers' | 'timeoutMs'> {
  readonly check: ReturnType<typeof createListenCheck>;
  readonly pollMs: number;
  readonly pollWithoutListenMs: number;
  readonly feeds: Pick<PagedFeeds, 'readers' | 'wake'>;
  /** Of LISTEN. */
  readonly failures: FailureSeries;
}

/** Wakes feeds: at writes of this store, at notifications of others, and at intervals, while there are readers. */
export function createWakeUps(options: WakeUpsOptions) {
  const { client, schema, check, pollMs, pollWithoutListenMs, timers, timeoutMs, feeds, failures } = options;
  let timer: ClockTimer | undefined;
  let unlisten: (() => Promise<void>) | undefined;
  let attempting: Promise<void> | undefined;
  let retryAt = 0;
  const pauses = createDelays();
  /** The latest revision for which feeds were woken. */
  let announced = 0;
  let closed = false;

  const onNotification = (payload: string): void => {
    const revision = Number(payload);
    if (payload !== '' && revision <= announced) return;
    announced = Math.max(announced, revision);
    feeds.wake();
  };

  const attempt = async (): Promise<void> => {
    try {
      if (!(await check.works()) || closed || client.listen === undefined) return;
      unlisten = await client.listen(channelOf(schema), onNotification, () => {
        unlisten = undefined;
        retryAt = timers.monotonic();
        announced = 0;
        plan();
      });
      pauses.reset();
      failures.worked();
      // Writes before the server agreed were not announced.
      feeds.wake();
    } catch (error) {
      retryAt = timers.monotonic() + pauses.next();
      failures.failed(error);
    }
  };

  const stopListening = async (): Promise<void> => {
    const stop = unlisten;
    unlisten = undefined;
    await stop?.().catch(failures.failed);
  };

  const tick = (): void => {
    timer = undefined;
    if (feeds.readers === 0) {
      void (attempting ?? Promise.resolve()).then(() => (feeds.readers === 0 ? stopListening() : undefined));
      return;
    }
    feeds.wake();
    if (unlisten === undefined && attempting === undefined && timers.monotonic() >= retryAt) {
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
    start(): void {
      if (!closed && timer === undefined) tick();
    },
    written(latest: Revision): void {
      announced = Math.max(announced, latest);
      feeds.wake();
    },
    async close(): Promise<void> {
      closed = true;
      timer?.cancel();
      const stopped = new AbortController();
      const stop = async (): Promise<void> => {
        await attempting;
        await stopListening();
        stopped.abort();
      };
      // A driver without deadlines waits for a frozen server until it responds.
      await Promise.race([stop(), pause(timers, timeoutMs, stopped.signal)]);
    },
  };
}
