import type { PostgresStoreOptions } from './options.js';
import type { StoreParts } from './requests.js';

/** See {@link createListenCheck}. */
export type ListenCheck = ReturnType<typeof createListenCheck>;

/** How long the notification may take, in milliseconds. */
const WAIT_MS = 1_000;

/**
 * Finds out whether LISTEN works, that is, whether connections are the server's own or a pooler's. With `auto` it listens on
 * a random channel, notifies that channel over another connection and waits. A pooler in transaction mode loses the
 * notification: the connection that was listening belongs to another client by then.
 */
export function createListenCheck(
  { client, requests, timers }: Pick<StoreParts, 'client' | 'requests' | 'timers'>,
  pooling: NonNullable<PostgresStoreOptions['pooling']>,
) {
  const { listen } = client;
  let known = listen === undefined ? false : pooling === 'auto' ? undefined : pooling === 'session';
  let asking: Promise<boolean> | undefined;
  let heard: (result: boolean) => void = () => undefined;

  const ask = async (listening: NonNullable<typeof listen>): Promise<boolean> => {
    const channel = `kube_vitals_${crypto.randomUUID()}`;
    const result = new Promise<boolean>((resolve) => (heard = resolve));
    const stop = await listening(
      channel,
      (payload) => {
        if (payload === channel) heard(true);
      },
      () => heard(false),
    );
    const timer = timers.setTimer(() => heard(false), WAIT_MS);
    try {
      const text = 'SELECT pg_notify($1::text, $1::text)::text AS notified';
      await requests.read({ name: 'kube_vitals.listen_check', text }, [channel]);
      return await result;
    } finally {
      timer.cancel();
      await stop().catch(() => undefined);
    }
  };

  return {
    /** False when it is known not to work. */
    mayWork: (): boolean => known !== false,
    /** Finds out, once. Fails when that was not possible; the next call tries again. */
    async works(): Promise<boolean> {
      if (known !== undefined || listen === undefined) return known ?? false;
      asking ??= ask(listen).finally(() => {
        asking = undefined;
      });
      known = await asking;
      return known;
    },
    /** Ends the wait for an answer. */
    close: (): void => heard(false),
  };
}
