import { requireResourceVersion } from '../../api/options/list-options.js';
import { first, flag, toRevision } from '../../api/options/query.js';
import { badRequest, notFound } from '../../api/status/failures.js';
import { chain } from '../../http/promise.js';
import type { StoreCall } from '../../store/contract/event-store.js';
import type { EventRecord } from '../../store/contract/record.js';
import { futureRevision } from '../request/store-failures.js';
import { LooseRead, readStored, resourceOf, type VerbCall, storedObject, type Result } from '../request/call.js';

/** One event. `resourceVersion` means "not older than", and 0 any state; only a future revision fails. */
export function getEvent(call: VerbCall): Result | Promise<Result> {
  const { query } = call;
  if (flag(query, 'export')) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  const asked = first(query, 'resourceVersion') ?? '';
  requireResourceVersion(asked);
  const how = asked === '' ? call.life : new LooseRead(call.life, toRevision(asked));
  return chain(readStored(call, how), (record) => shown(call, how, asked, record));
}

function shown(
  call: VerbCall,
  how: StoreCall,
  asked: string,
  record: EventRecord | undefined,
): Result | Promise<Result> {
  if (!record) throw notFound(resourceOf(call), call.scope.name);
  const result = storedObject(call, 200, record);
  return asked === '' || toRevision(asked) <= record.revision ? result : unlessAhead(call, how, asked, result);
}

/** For a record older than the requested revision. @throws StatusFailure 504 if that is a future revision */
async function unlessAhead(
  { dependencies }: VerbCall,
  how: StoreCall,
  asked: string,
  result: Result | Promise<Result>,
): Promise<Result> {
  const current = await dependencies.store.revision(how);
  if (toRevision(asked) > current) throw futureRevision(asked, current);
  return result;
}
