import { decodePatched } from '../../api/decode/decode-patched.js';
import { readWriteOptions } from '../../api/options/write-options.js';
import { applyPatch, patchTypeOf, type PatchType } from '../../api/patch/apply-patch.js';
import { notFound, unsupportedMediaType } from '../../api/status/failures.js';
import { header } from '../../http/headers.js';
import { chain } from '../../http/promise.js';
import type { ApiRequest } from '../../http/request.js';
import type { Event } from '../../model/event.js';
import type { EventRecord } from '../../store/record.js';
import { dedupeOwners } from './store-new.js';
import { changeStored } from './change-stored.js';
import { withRevision } from '../codec/compare-events.js';
import { trackFields } from './field-tracking.js';
import { apply } from './apply-event.js';
import { readBytes, requireName, requireNamespace } from './request-body.js';
import { resourceOf, type Result, type VerbCall } from '../request/call.js';

/** Changes parts of an event: JSON Patch, merge patch, strategic merge patch, or server-side apply. */
export function patch(call: VerbCall): Result | Promise<Result> {
  const type = requirePatchType(call.request);
  if (type === APPLY) return apply(call);
  return chain(readBytes(call), (body) => patchStored(call, type, body));
}

function patchStored(call: VerbCall, type: PatchType, body: Uint8Array): Result | Promise<Result> {
  const options = readWriteOptions(call.query, 'PatchOptions');
  const { version } = call;
  let warned = false;
  return changeStored(
    call,
    options,
    (previous, record) => {
      const document = documentOf(call, previous, record);
      const { fieldValidation } = options;
      const limits = call.environment.bodyLimits;
      const patched = applyPatch({ type, document, body, shape: version.shape, fieldValidation, limits });
      const decoded = decodePatched(patched.document, {
        shape: version.shape,
        kind: version.view.kind,
        apiVersion: version.view.apiVersion,
        otherVersions: version.otherVersions,
        fieldValidation,
        before: document,
        strictErrors: patched.strictErrors,
        rendering: () => patched.rendering(patched.document),
        words: type === 'application/strategic-merge-patch+json' ? 'converter' : 'json',
      });
      const next = version.fromWire(decoded.object, decoded.apiVersion);
      requireName(call, next);
      requireNamespace(call, next);
      if (!warned) {
        warned = true;
        call.warnings.push(...decoded.warnings);
        dedupeOwners(call, next, 'patch');
      }
      return { next, managedFields: trackFields(call, options, next, previous) };
    },
    () => {
      throw notFound(resourceOf(call), call.scope.name);
    },
  );
}

/** The stored event as the client's version shows it, keys in wire order. Parts are shared with `previous`. */
function documentOf({ version }: VerbCall, previous: Event, record: EventRecord): Readonly<Record<string, unknown>> {
  const { kind, apiVersion } = version.view;
  // Not a spread, which takes Node 20 2 µs more.
  const document: Record<string, unknown> = Object.assign({ kind, apiVersion }, version.toWire(previous));
  document['metadata'] = withRevision(previous.metadata, String(record.revision));
  return document;
}

const APPLY = 'application/apply-patch+yaml';

/** The kind of patch, by the content type as the router compares it. @throws StatusError 415 */
export function requirePatchType(request: ApiRequest): PatchType | typeof APPLY {
  const contentType = header(request, 'content-type') ?? '';
  const type = patchTypeOf(contentType);
  if (type) return type;
  if (contentType.split(';', 1)[0]?.trim() === APPLY) return APPLY;
  throw unsupportedMediaType('415: Unsupported Media Type', {});
}
