import { untilAborted } from '../../clock/abortable.js';
import type { PostgresClient } from './client.js';
import type { PgPoolClient } from './pg-client.js';

type Listen = NonNullable<PostgresClient['listen']>;

/** The timeout of a LISTEN, an UNLISTEN or a heartbeat, in milliseconds. */
const LISTEN_TIMEOUT_MS = 5_000;
/** A held connection whose other end has vanished reports nothing by itself. */
const HEARTBEAT_MS = 15_000;

interface Subscription {
  readonly channel: string;
  readonly onNotify: Parameters<Listen>[1];
  readonly onLost: Parameters<Listen>[2];
}

/** Listens on any number of channels over one connection, to leave the others of a pool for statements. */
export function createPgListen(connect: (signal: AbortSignal) => Promise<PgPoolClient>): Listen {
  let held: ReturnType<typeof hold> | undefined;

  const hold = async () => {
    const client = await connect(AbortSignal.timeout(LISTEN_TIMEOUT_MS));
    const subscriptions = new Set<Subscription>();
    let over = false;
    /** A client must not receive a statement while another one runs. */
    let last: Promise<unknown> = Promise.resolve();

    const run = (text: string): Promise<unknown> => {
      const send = (): Promise<unknown> => {
        const result = client.query({ text, values: [] });
        result.catch(() => undefined);
        return untilAborted(result, AbortSignal.timeout(LISTEN_TIMEOUT_MS));
      };
      // Those that wait behind a statement that failed are not sent: the connection was released.
      const done = last.then(send);
      last = done;
      last.catch(() => release(false));
      return done;
    };
    const release = (usable: boolean): void => {
      if (over) return;
      over = true;
      held = undefined;
      clearInterval(heartbeat);
      client.removeListener('error', lose);
      client.removeListener('end', lose);
      client.removeListener('notification', onNotification);
      client.release(!usable);
      for (const { onLost } of subscriptions) onLost();
    };
    const lose = (): void => release(false);
    const onNotification = (message: { channel: string; payload?: string | undefined }): void => {
      for (const { channel, onNotify } of subscriptions)
        if (channel === message.channel) onNotify(message.payload ?? '');
    };
    const heartbeat = setInterval(() => void run('SELECT 1').catch(lose), HEARTBEAT_MS);
    heartbeat.unref();
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', onNotification);

    return {
      isOver: (): boolean => over,
      async add(subscription: Subscription): Promise<() => Promise<void>> {
        const { channel } = subscription;
        subscriptions.add(subscription);
        await run(`LISTEN "${channel}"`);
        return async () => {
          if (over || !subscriptions.delete(subscription)) return;
          if (![...subscriptions].some((other) => other.channel === channel)) {
            await run(`UNLISTEN "${channel}"`).catch(lose);
          }
          if (subscriptions.size === 0) release(true);
        };
      },
    };
  };

  return async (channel, onNotify, onLost) => {
    for (;;) {
      held ??= hold();
      const opening = held;
      const connection = await opening.catch((error: unknown) => {
        if (held === opening) held = undefined;
        throw error;
      });
      if (!connection.isOver()) return connection.add({ channel, onNotify, onLost });
    }
  };
}
