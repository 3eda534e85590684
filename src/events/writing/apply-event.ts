import { applyBodyWarnings, readApplyBody } from '../../api/managed-fields/apply-body.js';
import { applyManagedFields } from '../../api/managed-fields/apply-managed-fields.js';
import { readWriteOptions } from '../../api/options/write-options.js';
import { conflict } from '../../api/status/failures.js';
import type { Event } from '../../model/event.js';
import { requireAccess } from '../request/access.js';
import { admitMissing } from './store-new.js';
import { changeStored } from './change-stored.js';
import { managedVersion, managerOfCall, setManagedFields, trackingTime } from './field-tracking.js';
import { readBytes, requireName, requireNamespace } from './request-body.js';
import { resourceOf, type Result, type VerbCall } from '../request/call.js';

/**
 * Server-side apply: the body is all that its manager wants to be so, and nothing else. Creates the event where there is
 * none (which needs the right to create, too).
 */
export async function apply(call: VerbCall): Promise<Result> {
  const bytes = await readBytes(call);
  const options = readWriteOptions(call.query, 'PatchOptions', true);
  const body = await readApplyBody(bytes, call.environment.bodyLimits);
  const { version, warnings } = call;
  let warned = false;

  /** What the stored event becomes. */
  const merged = (previous?: Event): Event => {
    const stored = previous?.metadata.managedFields;
    const { object, entries } = applyManagedFields({
      version: managedVersion(call),
      ...(previous && { live: version.toWire(previous) }),
      ...(stored && { stored }),
      intent: body.intent,
      manager: managerOfCall(call, options),
      force: options.force ?? false,
      time: trackingTime(call),
    });
    const told = applyBodyWarnings(body, options.fieldValidation);
    if (!warned) warnings.push(...told);
    warned = true;
    const next = version.fromWire(object);
    setManagedFields(next, entries);
    requireName(call, next);
    requireNamespace(call, next);
    return next;
  };

  return changeStored(
    call,
    options,
    (previous) => ({ next: merged(previous) }),
    async () => {
      const event = merged();
      const { uid } = event.metadata;
      if (uid) {
        const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
        throw conflict(resourceOf(call), call.scope.name, why);
      }
      await requireAccess(call, 'create');
      delete event.metadata.resourceVersion;
      return admitMissing(call, event, options, event.metadata.managedFields ?? []);
    },
  );
}
