import { isStoreError } from '../contract/errors.js';
import { hasCode } from '../unknown-outcomes.js';
import type { CallContext } from './call-context.js';
import type { EtcdClient } from './client.js';
import { drop, get } from './connection.js';
import type { DueEntry, Layout } from './layout.js';

const CONCURRENCY = 16;
/** The most pages of the index that one call reads, when other replicas remove what it finds. */
const PAGES = 4;

/** Returns false when another replica was faster, or the event changed. */
async function expireOne(
  client: EtcdClient,
  { indexKey, objectKey, revision }: DueEntry,
  context: CallContext,
): Promise<boolean> {
  const entry = { key: indexKey, revision };
  const { succeeded, steps } = await client.txn(
    {
      compare: [entry, { key: objectKey, revision }],
      success: [drop(objectKey), drop(indexKey)],
      failure: [get(indexKey), get(objectKey)],
    },
    context,
  );
  if (succeeded) return true;
  // Event and entry are written together: an entry at another revision was left behind by another program.
  if (steps[0]?.[0]?.modRevision === revision) {
    const event = { key: objectKey, revision: steps[1]?.[0]?.modRevision ?? 0 };
    await client.txn({ compare: [entry, event], success: [drop(indexKey)] }, context);
  }
  return false;
}

/** Removes what is due, up to a limit, each event in a transaction and at a revision of its own. */
export async function expireDue(
  client: EtcdClient,
  layout: Layout,
  now: number,
  limit: number,
  newContext: () => CallContext,
): Promise<number> {
  let removed = 0;
  for (let page = 0; page < PAGES && removed < limit; page++) {
    const wanted = Math.min(limit - removed, 500);
    const { kvs, more } = await client.range({ ...layout.dueAt(now), limit: wanted, keysOnly: true }, newContext());
    const due = kvs.flatMap((kv) => layout.dueEntry(kv) ?? []);
    const queue = due.values();
    let failure: { readonly error: unknown } | undefined;
    /** Several run at once on one queue, so that a transaction that hangs delays no others. */
    const work = async (): Promise<void> => {
      for (const entry of queue) {
        if (failure !== undefined) return;
        try {
          if (await expireOne(client, entry, newContext())) removed++;
        } catch (error) {
          // A lost race and a lost response cannot be distinguished. What is still due is found again.
          if (!hasCode(error, 'unknown-outcome')) failure = { error };
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, due.length) }, work));
    if (failure !== undefined) {
      if (removed > 0 && isStoreError(failure.error)) return removed;
      throw failure.error;
    }
    if (!more && kvs.length < wanted) break;
    // Another page is read only when other replicas removed everything on this one.
    if (removed > 0) break;
  }
  return removed;
}
