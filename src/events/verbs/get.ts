import { requireResourceVersion } from '../../api/options/list-options.js';
import { first, flag } from '../../api/options/query.js';
import { toRevision } from '../../api/options/resource-version.js';
import { badRequest, notFound } from '../../api/status/failures.js';
import { futureRevision } from '../store-failures.js';
import { keyOf, resourceOf, type Result, type VerbCall } from './call.js';

/** One event. `resourceVersion` means "not older than"; every read is the latest state, so only the future fails. */
export async function get(call: VerbCall): Promise<Result> {
  const { environment, query, request, scope, version } = call;
  if (flag(query, 'export')) {
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
  }
  const asked = first(query, 'resourceVersion') ?? '';
  requireResourceVersion(asked);
  const record = await environment.store.get(keyOf(call), request);
  if (!record) throw notFound(resourceOf(call), scope.name);
  if (asked !== '' && toRevision(asked) > record.revision) {
    const current = await environment.store.revision(request);
    if (toRevision(asked) > current) throw futureRevision(asked, current);
  }
  return { kind: 'object', status: 200, json: version.object(record) };
}
