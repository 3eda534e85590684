import { decodePatched } from '../../api/decode/decode-patched.js';
import { readWriteOptions, type WriteOptions } from '../../api/options/write-options.js';
import { applyPatch, type PatchType } from '../../api/patch/apply-patch.js';
import { notFound } from '../../api/status/failures.js';
import { chain } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import type { EventRecord } from '../../store/contract/record.js';
import { withRevision } from '../codec/compare-events.js';
import { resourceOf, yieldIfLarge, type VerbCall, type Result } from '../request/call.js';
import { dedupeOwners } from './admission.js';
import { changeStoredEvent, type ChangedEvent } from './change-stored-event.js';
import { trackFields } from './field-tracking.js';
import { requireMatchingName, requireNamespace, withBody } from './request-body.js';

/** Changes parts of an event: JSON Patch, merge patch, or strategic merge patch. */
export function patchEvent(call: VerbCall, type: PatchType): Result | Promise<Result> {
  return withBody(call, (body) => {
    const options = readWriteOptions(call.query, 'PatchOptions');
    return changeStoredEvent(
      call,
      options,
      (previous, record) => patched(call, options, type, body, previous, record),
      () => {
        throw notFound(resourceOf(call), call.scope.name);
      },
    );
  });
}

function patched(
  call: VerbCall,
  options: WriteOptions,
  type: PatchType,
  body: Uint8Array,
  previous: Event,
  record: EventRecord,
): ChangedEvent | Promise<ChangedEvent> {
  const { version, dependencies } = call;
  const { fieldValidation } = options;
  const { shape, kind, apiVersion } = version.view;
  const document = documentOf(call, previous, record);
  const limits = dependencies.bodyLimits;
  const result = applyPatch({ type, document, body, shape, fieldValidation, limits });
  const decoded = decodePatched(result.document, {
    shape,
    kind,
    apiVersion,
    otherVersions: version.otherVersions,
    fieldValidation,
    before: document,
    strictErrors: result.strictErrors,
    rendering: () => result.rendering(result.document),
    words: type === 'application/strategic-merge-patch+json' ? 'converter' : 'json',
  });
  // Another attempt adds the same warnings; each is sent once.
  call.warnings.push(...decoded.warnings);
  const next = version.fromWire(decoded.object, decoded.apiVersion);
  requireNamespace(call, next);
  requireMatchingName(call, next);
  dedupeOwners(call, next, 'patch');
  return chain(yieldIfLarge(body.length), () => {
    const managedFields = trackFields(call, options, next, previous);
    return chain(yieldIfLarge(body.length), () => ({ next, managedFields }));
  });
}

/** The stored event in the version of the request, with keys in wire order. Parts are shared with `previous`. */
function documentOf({ version }: VerbCall, previous: Event, record: EventRecord): Readonly<Record<string, unknown>> {
  const { kind, apiVersion } = version.view;
  // Not a spread, which takes 2 µs more in Node 20.
  const document: Record<string, unknown> = Object.assign({ kind, apiVersion }, version.toWire(previous));
  document['metadata'] = withRevision(previous.metadata, String(record.revision));
  return document;
}
