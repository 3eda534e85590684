import { readWriteOptions } from '../../api/options/write-options.js';
import { badRequest, conflict } from '../../api/status/failures.js';
import { isPromise } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import { admitNew, dedupeOwners } from '../admit-new.js';
import { requireAccess } from '../access.js';
import { changeStored } from '../change-stored.js';
import { trackFields } from '../field-tracking.js';
import { uintError } from '../../api/options/resource-version.js';
import { bodyMediaType, decodeEventBody, readBytes, requireName, requireNamespace } from './body.js';
import { resourceOf, type Result, type VerbCall } from './call.js';

/** Replaces an event, or creates it where there is none (which needs the right to create, too). */
export async function update(call: VerbCall): Promise<Result> {
  const read = readBytes(call);
  const bytes = isPromise(read) ? await read : read;
  const options = readWriteOptions(call.query, 'UpdateOptions');
  const decoded = decodeEventBody(call, bytes, bodyMediaType(call), options);
  const sent = isPromise(decoded) ? await decoded : decoded;
  requireNamespace(call, sent);
  requireName(call, sent);
  dedupeOwners(call, sent, 'request');
  return changeStored(
    call,
    options,
    (previous) => {
      requireUid(call, sent, previous.metadata.uid ?? '');
      // A further attempt must find what was sent; below metadata nothing is changed.
      // Not a spread: adding fields to what one has made takes Node 20 2.5 µs.
      const next: Event = { ...sent, metadata: Object.assign({}, sent.metadata) };
      return { next, managedFields: trackFields(call, options, next, previous) };
    },
    async () => {
      requireUid(call, sent, '');
      const wrong = sent.metadata.resourceVersion ? uintError(sent.metadata.resourceVersion) : undefined;
      if (wrong) throw badRequest(wrong);
      await requireAccess(call, 'create');
      delete sent.metadata.resourceVersion;
      return admitNew(call, sent, options);
    },
  );
}

/** A uid in the body is a condition. The text is the one clients of the original know. */
function requireUid(call: VerbCall, event: Event, stored: string): void {
  const sent = event.metadata.uid ?? '';
  if (sent === '' || sent === stored) return;
  const { namespace, name } = call.scope;
  throw conflict(
    resourceOf(call),
    name,
    `StorageError: invalid object, Code: 4, Key: /registry/events/${namespace}/${name}, ResourceVersion: 0, ` +
      `AdditionalErrorMsg: Precondition failed: UID in precondition: ${sent}, UID in object meta: ${stored}`,
  );
}
