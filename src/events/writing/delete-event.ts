import { decodeDeleteOptions } from '../../api/decode/delete-options.js';
import { checkDeleteOptions, readDeleteQuery, type DeleteOptions } from '../../api/options/delete-options.js';
import { removeStored } from './remove-stored.js';
import { bodyMediaType, readBytes } from './request-body.js';
import { keyOf, type Result, type VerbCall } from '../request/call.js';
import { storedObject } from '../request/result.js';

/** Deletes one event. A completed deletion answers a Status, one that waits for finalizers the event. */
export async function remove(call: VerbCall): Promise<Result> {
  const options = await readDeleteOptions(call);
  const { removed, record } = await removeStored(call, keyOf(call), options);
  if (!removed) {
    const status = options.orphanDependents === false ? 202 : 200;
    return storedObject(call, status, record);
  }
  const { group } = call.version;
  return {
    kind: 'status',
    status: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: call.scope.name, ...(group && { group }), kind: 'events', uid: record.event.uid },
    },
  };
}

/** Options come from the body, or from the query when there is no body. @throws StatusError 400, 415, 422 */
export async function readDeleteOptions(call: VerbCall): Promise<DeleteOptions> {
  const bytes = await readBytes(call);
  const options =
    bytes.length === 0
      ? readDeleteQuery(call.query)
      : await decodeDeleteOptions(bytes, bodyMediaType(call), call.environment.bodyLimits);
  checkDeleteOptions(options);
  return options;
}
