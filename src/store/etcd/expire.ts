import { each } from '../../clock/each.js';
import { isStoreError } from '../contract/errors.js';
import type { CallContext } from './call-context.js';
import { unlessLost, type EtcdClient } from './client.js';
import { drop, get } from './connection.js';
import type { DueEntry, Layout } from './layout.js';

/** Several transactions run at once, so that one that hangs delays no others. */
const LANES = Array.from({ length: 16 }, (_, lane) => lane);
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
    try {
      await each(due, LANES, async (entry) => {
        // A lost race and a lost response cannot be distinguished. What is still due is found again.
        if (await unlessLost(expireOne(client, entry, newContext()))) removed++;
      });
    } catch (error) {
      if (removed === 0 || !isStoreError(error)) throw error;
    }
    // Another page is read only when other replicas removed everything on this one.
    if (removed > 0 || (!more && kvs.length < wanted)) break;
  }
  return removed;
}
