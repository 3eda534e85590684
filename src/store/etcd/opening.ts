import { storeError } from '../contract/errors.js';
import type { Revision } from '../contract/record.js';
import { hasCode } from '../unknown-outcomes.js';
import type { EtcdClient } from './client.js';
import type { KeyValue } from './connection.js';
import { FORMAT, type Layout } from './layout.js';
import type { EtcdSettings } from './options.js';

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

/** Finds or makes the mark of the store. Returns the revision at which the store began. */
export async function openStore(client: EtcdClient, layout: Layout, settings: EtcdSettings): Promise<Revision> {
  const budget = client.budget(undefined);
  const { succeeded, revision, steps } = await client.txn(layout.mark, budget).catch((error: unknown) => {
    // It does not matter which attempt made the mark.
    if (hasCode(error, 'unknown-outcome')) return client.txn(layout.mark, budget);
    throw error;
  });
  if (succeeded) return revision;
  const kv = steps[0]?.[0];
  checkFormat(kv, settings);
  return kv?.createRevision ?? revision;
}
