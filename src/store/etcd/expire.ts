import { isStoreError } from '../contract/errors.js';
import { hasCode } from '../unknown-outcomes.js';
import type { Budget } from './budget.js';
import type { EtcdClient } from './client.js';
import { drop, get } from './connection.js';
import type { DueEntry, Layout } from './layout.js';

/** Transactions at once. */
const CONCURRENCY = 16;
/** The most pages of the index that one call reads, when other replicas remove what it finds. */
const PAGES = 4;

/** Removes one event that is due, at the revision of its index entry. False when another replica was faster, or it changed. */
async function expireOne(
  client: EtcdClient,
  { indexKey, objectKey, revision }: DueEntry,
  budget: Budget,
): Promise<boolean> {
  const entry = { key: indexKey, revision };
  const { succeeded, steps } = await client.txn(
    {
      compare: [entry, { key: objectKey, revision }],
      success: [drop(objectKey), drop(indexKey)],
      failure: [get(indexKey), get(objectKey)],
    },
    budget,
  );
  if (succeeded) return true;
  // Event and entry are written together: an entry at another revision was left behind by another program.
  if (steps[0]?.[0]?.modRevision === revision) {
    const event = { key: objectKey, revision: steps[1]?.[0]?.modRevision ?? 0 };
    await client.txn({ compare: [entry, event], success: [drop(indexKey)] }, budget);
  }
  return false;
}

/** Removes what is due, up to a limit, each in a transaction of its own: one revision each. */
export async function expireDue(
  client: EtcdClient,
  layout: Layout,
  now: number,
  limit: number,
  budget: () => Budget,
): Promise<number> {
  let removed = 0;
  for (let page = 0; page < PAGES && removed < limit; page++) {
    const wanted = Math.min(limit - removed, 500);
    const { kvs, more } = await client.range({ ...layout.dueAt(now), limit: wanted, keysOnly: true }, budget());
    const due = kvs.flatMap((kv) => layout.dueEntry(kv) ?? []);
    for (let at = 0; at < due.length; at += CONCURRENCY) {
      const some = due.slice(at, at + CONCURRENCY);
      const results = await Promise.allSettled(some.map((entry) => expireOne(client, entry, budget())));
      let failure: { readonly error: unknown } | undefined;
      for (const result of results) {
        if (result.status === 'fulfilled') removed += Number(result.value);
        // A lost race and a lost answer look alike. What is still due is found again.
        else if (!hasCode(result.reason, 'unknown-outcome')) failure = { error: result.reason };
      }
      if (failure === undefined) continue;
      if (removed > 0 && isStoreError(failure.error)) return removed;
      throw failure.error;
    }
    if (!more && kvs.length < wanted) break;
    // Another page is read only when other replicas removed everything on this one.
    if (removed > 0) break;
  }
  return removed;
}
