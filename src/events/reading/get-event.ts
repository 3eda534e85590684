import { requireResourceVersion } from '../../api/options/list-options.js';
import { first, flag, toRevision } from '../../api/options/query.js';
import { badRequest, notFound } from '../../api/status/failures.js';
import { chain } from '../../http/promise.js';
import { futureRevision } from '../request/store-failures.js';
import { LooseRead, resourceOf, type VerbCall, storedObject, type Result } from '../request/call.js';
import { readStored } from '../request/stored-event.js';

/** Returns one event. `resourceVersion` means "not older than", and 0 means any state; only a future revision fails. */
export function getEvent(call: VerbCall): Result | Promise<Result> {
  const { query } = call;
  if (flag(query, 'export')) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  const asked = first(query, 'resourceVersion') ?? '';
  requireResourceVersion(asked);
  const oldest = toRevision(asked);
  const how = asked === '' ? call.life : new LooseRead(call.life, oldest);
  return chain(readStored(call, how), (record) => {
    const found = (): Result | Promise<Result> => {
      if (!record) throw notFound(resourceOf(call), call.scope.name);
      return storedObject(call, 200, record);
    };
    if (oldest <= (record?.revision ?? 0)) return found();
    return chain(call.dependencies.store.revision(how), (current): Result | Promise<Result> => {
      if (oldest > current) throw futureRevision(asked, current);
      return found();
    });
  });
}
