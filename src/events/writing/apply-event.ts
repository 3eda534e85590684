import { applyBodyWarnings, readApplyBody, type ApplyBody } from '../../api/managed-fields/apply-body.js';
import { applyManagedFields } from '../../api/managed-fields/apply-managed-fields.js';
import { readWriteOptions, type WriteOptions } from '../../api/options/write-options.js';
import { conflict } from '../../api/status/failures.js';
import { chain } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import { resourceOf, yieldIfLarge, type VerbCall, type Result } from '../request/call.js';
import { changeStoredEvent } from './change-stored-event.js';
import { managerOfCall, setManagedFields, trackingTime } from './field-tracking.js';
import { requireMatchingName, requireNamespace, withBody } from './request-body.js';
import { storeMissing } from './store-new-event.js';

/** Server-side apply: the body is the complete intent of its manager. Creating also needs permission to create. */
export function applyEvent(call: VerbCall): Result | Promise<Result> {
  return withBody(call, (bytes) => {
    const options = readWriteOptions(call.query, 'PatchOptions', true);
    return chain(readApplyBody(bytes, call.dependencies.bodyLimits), (body) =>
      chain(yieldIfLarge(bytes.length), () => applyBody(call, options, body, bytes.length)),
    );
  });
}

/** Synchronous for small bodies and a store that is: of many that apply to one event, none repeats its attempt. */
function applyBody(call: VerbCall, options: WriteOptions, body: ApplyBody, size: number): Result | Promise<Result> {
  return changeStoredEvent(
    call,
    options,
    (previous) => {
      const next = merged(call, options, body, previous);
      return chain(yieldIfLarge(size), () => ({ next }));
    },
    () => {
      const event = merged(call, options, body);
      const { uid } = event.metadata;
      if (uid) {
        const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
        throw conflict(resourceOf(call), call.scope.name, why);
      }
      return chain(yieldIfLarge(size), () => storeMissing(call, event, options, event.metadata.managedFields ?? []));
    },
  );
}

function merged(call: VerbCall, options: WriteOptions, body: ApplyBody, previous?: Event): Event {
  const { version } = call;
  const stored = previous?.metadata.managedFields;
  const { object, entries } = applyManagedFields({
    version: version.view,
    ...(previous && { live: version.toWire(previous) }),
    ...(stored && { stored }),
    intent: body.intent,
    manager: managerOfCall(call, options),
    force: options.force ?? false,
    time: trackingTime(call),
  });
  // Another attempt adds the same warnings; each is sent once.
  call.warnings.push(...applyBodyWarnings(body, options.fieldValidation));
  const next = version.fromWire(object);
  setManagedFields(next, entries);
  requireNamespace(call, next);
  requireMatchingName(call, next);
  return next;
}
