import type { StoreParts } from './requests.js';

/** Finds out whether LISTEN works, which says whether connections are the server's own or a pooler's. */
export interface ListenCheck {
  /** False when it is known that it does not. */
  mayWork(): boolean;
  /** Finds out, once. Fails when that was not possible; the next call tries again. */
  works(): Promise<boolean>;
  /** Ends the wait for an answer. */
  close(): void;
}

/** How long the notification may take, in milliseconds. */
const WAIT_MS = 1_000;

/**
 * Makes a {@link ListenCheck}. Under `auto` it listens on a random channel, notifies that channel over another connection
 * and waits. A pooler in transaction mode loses it: the connection that was listening belongs to another client by then.
 */
export function createListenCheck(
  { client, requests, timers }: Pick<StoreParts, 'client' | 'requests' | 'timers'>,
  pooling: 'auto' | 'session' | 'transaction',
): ListenCheck {
  const { listen } = client;
  let known =
    pooling === 'auto' && listen !== undefined ? undefined : pooling !== 'transaction' && listen !== undefined;
  let asking: Promise<boolean> | undefined;
  let giveUp: () => void = () => undefined;

  const ask = async (listening: NonNullable<typeof listen>): Promise<boolean> => {
    const channel = `kube_vitals_${crypto.randomUUID()}`;
    let heard: (result: boolean) => void = () => undefined;
    const result = new Promise<boolean>((resolve) => {
      heard = resolve;
      giveUp = () => resolve(false);
    });
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
    mayWork: () => known !== false,
    async works() {
      if (known !== undefined || listen === undefined) return known ?? false;
      asking ??= ask(listen).finally(() => {
        asking = undefined;
      });
      known = await asking;
      return known;
    },
    close: () => giveUp(),
  };
}
