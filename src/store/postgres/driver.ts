import { messageOf } from '../../model/error-message.js';
import { storeError } from '../contract/errors.js';
import type { PostgresClient } from './client.js';
import type { PostgresStoreOptions } from './options.js';
import { pgClient, type PgPool } from './pg-client.js';

type OwnPool = PgPool & { end(): Promise<void> };

interface PgModule {
  readonly Pool: new (config: object) => OwnPool;
}

/** How long `close()` waits for connections to end, in milliseconds: those of a frozen server never do. */
const END_MS = 1_000;

async function loadPg(): Promise<PgModule> {
  try {
    const loaded = (await import('pg')) as unknown as PgModule & { readonly default?: PgModule };
    return loaded.default ?? loaded;
  } catch (cause) {
    throw storeError('unavailable', `the driver is missing: npm install pg (${messageOf(cause)})`, { cause });
  }
}

/** A pool that the store owns. The driver is loaded and the pool made with the first statement. */
function ownPool(options: PostgresStoreOptions, timeoutMs: number): PostgresClient {
  const { connectionString, ssl, poolSize = 8 } = options;
  let pool: OwnPool | undefined;
  let client: PostgresClient | undefined;
  let closed = false;

  const open = async (): Promise<PostgresClient> => {
    if (client !== undefined) return client;
    const { Pool } = await loadPg();
    if (closed) throw storeError('closed', 'the store is closed');
    pool ??= new Pool({
      connectionString,
      ...(ssl !== undefined && { ssl }),
      max: poolSize + 1,
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
      allowExitOnIdle: true,
      application_name: 'kube-vitals',
    });
    return (client ??= pgClient(pool));
  };

  return {
    query: async (text, values, call) => (await open()).query(text, values, call),
    async listen(channel, onNotify, onLost) {
      const { listen } = await open();
      return (listen as NonNullable<typeof listen>)(channel, onNotify, onLost);
    },
    async close() {
      closed = true;
      // The client's listener for errors stays: connections that end may still receive errors from the server.
      const ended = pool?.end().catch(() => undefined);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, END_MS).unref())]);
    },
  };
}

export function clientOf(options: PostgresStoreOptions, timeoutMs: number): PostgresClient {
  if (options.client !== undefined) return options.client;
  if (options.pool !== undefined) return pgClient(options.pool);
  return ownPool(options, timeoutMs);
}
