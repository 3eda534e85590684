import { isStoreError, storeError } from '../contract/errors.js';
import type { Revision } from '../contract/record.js';
import { createEtcdClient } from './client.js';
import type { Connect } from './connection.js';
import { FORMAT, type Layout } from './layout.js';
import { createLiftedClient, type LiftedClient } from './lifted-client.js';
import type { KeyValue, TxnResponse } from './messages.js';
import type { EtcdSettings } from './options.js';

/** A store that is open. */
export interface Opened {
  readonly client: LiftedClient;
  /** The revision at which the store began: before it there is nothing to read. */
  begin(): Revision;
}

/** Connects, and finds or makes the mark of the store. */
export interface Opening {
  /** Called again after a failure. */
  open(): Promise<Opened>;
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

/** Makes the {@link Opening} of a store. Connections are made once, with the first attempt. */
export function createOpening(settings: EtcdSettings, layout: Layout, connect: Connect): Opening {
  let client: LiftedClient | undefined;
  let closed = false;

  return {
    async open() {
      if (client === undefined) {
        const made = createLiftedClient(createEtcdClient(await connect(), settings), layout, settings.clock);
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
      const budget = made.budget(undefined);
      const write = (): Promise<TxnResponse> => made.txn(mark, budget);
      const { succeeded, revision, steps } = await write().catch((error: unknown) => {
        // Whether it was this attempt that made the mark does not matter.
        if (isStoreError(error) && error.code === 'unknown-outcome') return write();
        throw error;
      });
      if (succeeded) return openedAt(revision);
      const kv = steps[0]?.[0];
      checkFormat(kv, settings);
      return openedAt(kv?.createRevision ?? revision);
    },
    close() {
      closed = true;
      client?.close();
    },
  };
}
