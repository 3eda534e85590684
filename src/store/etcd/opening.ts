import { isStoreError, storeError } from '../errors.js';
import type { Revision } from '../record.js';
import { createEtcdClient } from './client.js';
import type { Connect } from './connection.js';
import { FORMAT, type Layout } from './layout.js';
import { createLiftedClient, type LiftedClient } from './lifted-client.js';
import type { KeyValue } from './messages.js';
import type { EtcdSettings } from './options.js';

/** How long the failure of an opening is the answer, before it is tried again. */
const RETRY_MS = 200;

/** A store that is open. */
export interface Opened {
  readonly client: LiftedClient;
  /** The revision at which the store began: before it there is nothing to read. */
  begin(): Revision;
}

/** Opens the store once, in the background, and again when that failed. */
export interface Opening {
  /** Waits until it is open. Fails with `unavailable`, or the signal's reason. */
  ready(signal?: AbortSignal): Promise<Opened>;
  close(): void;
}

function checkFormat(kv: KeyValue | undefined, { prefix }: EtcdSettings): void {
  let format: unknown;
  try {
    format = (JSON.parse(new TextDecoder().decode(kv?.value)) as { format?: unknown } | null)?.format;
  } catch {
    format = undefined;
  }
  if (format === FORMAT) return;
  throw storeError(
    'unavailable',
    typeof format === 'number'
      ? `${prefix} was written by a newer version (layout ${format}, this one knows ${FORMAT}): update this package`
      : `${prefix}.store is not of this store: choose another prefix, or remove the key`,
  );
}

/** Begins to open at once. */
export function createOpening(settings: EtcdSettings, layout: Layout, connect: Connect): Opening {
  const { clock } = settings;
  let client: LiftedClient | undefined;
  let closed = false;
  let attempt: Promise<Opened> | undefined;
  let failedAt: number | undefined;

  const open = async (): Promise<Opened> => {
    if (client === undefined) {
      const made = createLiftedClient(createEtcdClient(await connect(), settings), layout, clock);
      if (closed) made.close();
      client = made;
    }
    const { storeKey, storeValue } = layout;
    const mark = {
      compare: [{ key: storeKey, target: 'create', result: 'equal', value: 0 }],
      success: [{ type: 'put', key: storeKey, value: storeValue }],
      failure: [{ type: 'range', key: storeKey }],
    } as const;
    const made = client;
    const openedAt = (created: Revision): Opened => ({ client: made, begin: () => Math.max(created, made.floor()) });
    const budget = client.budget(undefined);
    const { succeeded, revision, steps } = await client.txn(mark, budget).catch((error: unknown) => {
      // Whether it was this attempt that made the mark does not matter.
      if (client !== undefined && isStoreError(error) && error.code === 'unknown-outcome') {
        return client.txn(mark, client.budget(undefined));
      }
      throw error;
    });
    if (succeeded) return openedAt(revision);
    const kv = steps[0]?.[0];
    checkFormat(kv, settings);
    return openedAt(kv?.createRevision ?? revision);
  };

  const begin = (): Promise<Opened> => {
    failedAt = undefined;
    const opening = open().catch((cause: unknown) => {
      failedAt = clock.monotonic();
      // The unknown outcome of writing the mark is internal: for the caller nothing was changed.
      if (isStoreError(cause) && cause.code !== 'unknown-outcome') throw cause;
      throw storeError('unavailable', cause instanceof Error ? cause.message : String(cause), { cause });
    });
    opening.catch(() => undefined);
    return opening;
  };
  attempt = begin();

  return {
    ready(signal) {
      if (failedAt !== undefined && clock.monotonic() - failedAt >= RETRY_MS) attempt = begin();
      const opening = attempt as Promise<Opened>;
      if (signal === undefined) return opening;
      return new Promise((resolve, reject) => {
        const abort = (): void => reject(signal.reason as Error);
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
        opening
          .then(resolve, reject)
          .finally(() => signal.removeEventListener('abort', abort))
          .catch(() => undefined);
      });
    },
    close() {
      closed = true;
      client?.close();
    },
  };
}
