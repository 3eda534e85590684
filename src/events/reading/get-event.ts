import { requireResourceVersion } from '../../api/options/list-options.js';
import { first, flag, toRevision } from '../../api/options/query.js';
import { badRequest, notFound } from '../../api/status/failures.js';
import { chain } from '../../http/promise.js';
import type { EventRecord } from '../../store/contract/record.js';
import { futureRevision } from '../request/store-failures.js';
import { keyOf, readStored, resourceOf, type VerbCall, storedObject, type Result } from '../request/call.js';

/** One event. `resourceVersion` means "not older than"; every read is the latest state, so only the future fails. */
export function getEvent(call: VerbCall): Result | Promise<Result> {
  const { query } = call;
  if (flag(query, 'export')) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  const asked = first(query, 'resourceVersion') ?? '';
  requireResourceVersion(asked);
  return chain(readStored(call, keyOf(call)), (record) => shown(call, asked, record));
}

function shown(call: VerbCall, asked: string, record: EventRecord | undefined): Result | Promise<Result> {
  if (!record) throw notFound(resourceOf(call), call.scope.name);
  const result = storedObject(call, 200, record);
  return asked === '' || toRevision(asked) <= record.revision ? result : unlessAhead(call, asked, result);
}

/** The record is older than what was asked for: fails when that is a revision of the future. @throws StatusFailure 504 */
async function unlessAhead(
  { dependencies, life }: VerbCall,
  asked: string,
  result: Result | Promise<Result>,
): Promise<Result> {
  const current = await dependencies.store.revision(life);
  if (toRevision(asked) > current) throw futureRevision(asked, current);
  return result;
}
