import { readWriteOptions, type WriteOptions } from '../../api/options/write-options.js';
import { conflict } from '../../api/status/failures.js';
import { chain } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import { shareEqualParts } from '../codec/compare-events.js';
import { resourceOf, yieldIfLarge, type VerbCall, type Result } from '../request/call.js';
import { dedupeOwners } from './admission.js';
import { changeStoredEvent } from './change-stored-event.js';
import { trackFields } from './field-tracking.js';
import { bodyMediaType, readEventBody, requireMatchingName, requireNamespace, withBody } from './request-body.js';
import { storeMissing } from './store-new-event.js';

/** Replaces an event, or creates it if there is none (which also needs permission to create). */
export function updateEvent(call: VerbCall): Result | Promise<Result> {
  return withBody(call, (bytes) => {
    const options = readWriteOptions(call.query, 'UpdateOptions');
    const decoded = readEventBody(call, bytes, bodyMediaType(call), options);
    return chain(decoded, (sent) => chain(yieldIfLarge(bytes.length), () => replaceStored(call, sent, options)));
  });
}

function replaceStored(call: VerbCall, sent: Event, options: WriteOptions): Result | Promise<Result> {
  requireNamespace(call, sent);
  requireMatchingName(call, sent);
  dedupeOwners(call, sent, 'request');
  const { metadata } = sent;
  /** Every attempt begins with the metadata of the body; nothing below metadata is changed. */
  const begin = (storedUid: string): void => {
    // Not a spread: adding fields to its result takes Node 20 2.5 µs.
    sent.metadata = Object.assign({}, metadata);
    requireUid(call, sent, storedUid);
  };
  return changeStoredEvent(
    call,
    options,
    (previous) => {
      begin(previous.metadata.uid ?? '');
      shareEqualParts(previous, sent);
      return { next: sent, managedFields: trackFields(call, options, sent, previous) };
    },
    () => {
      begin('');
      return storeMissing(call, sent, options);
    },
  );
}

/** Treats a uid in the body as a precondition. The message is that of kube-apiserver, which clients may check. */
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
