import type { DeleteOptions } from '../options/delete-options.js';
import { deleteOptionsShape } from '../schema/delete-options-schema.js';
import { badRequest } from '../status/failures.js';
import type { BodyLimits } from '../body/member-limit.js';
import { decodeObject, type Decoded } from './decode-object.js';
import { readDocument, readMessage, type BodyMediaType, type ReadDocument } from './read-document.js';
import { chain } from '../../http/promise.js';
import { notRegistered, readTypeMeta, typeMetaOf, withDefaults, type TypeMeta } from './type-meta.js';

const SCHEME = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27';

/**
 * The options in the body of a delete request. Call only if there is a body; `null` is a body
 * without options. The kind must be DeleteOptions if it is given, the apiVersion may be any, unknown fields do not
 * matter (Kubernetes behaviour).
 *
 * @param limits default `DEFAULT_BODY_LIMITS`
 * @throws StatusFailure 400 with the decoder's text; 413 for a body with too many fields and list items
 */
export function decodeDeleteOptions(
  body: Uint8Array,
  mediaType: BodyMediaType,
  limits?: BodyLimits,
): DeleteOptions | Promise<DeleteOptions> {
  if (mediaType === 'application/vnd.kubernetes.protobuf') return decodeMessage(body, limits);
  return chain(readDocument(body, mediaType, limits), decodeDocument);
}

function decodeDocument(read: ReadDocument): DeleteOptions {
  if ('error' in read) throw badRequest(read.error);
  const said = readTypeMeta(read.document.value);
  if ('error' in said) throw badRequest(said.error);
  requireDeleteOptions(said);
  return objectOf(decodeObject(read.document.value, deleteOptionsShape(), read.document));
}

async function decodeMessage(body: Uint8Array, limits: BodyLimits | undefined): Promise<DeleteOptions> {
  const read = await readMessage(body, limits);
  if ('error' in read) throw badRequest(read.error);
  requireDeleteOptions(typeMetaOf(read));
  const message = read.read(deleteOptionsShape());
  if ('error' in message) throw badRequest(message.error);
  return objectOf(decodeObject(message.value, deleteOptionsShape()));
}

function requireDeleteOptions(said: TypeMeta): void {
  const meta = withDefaults(said, 'DeleteOptions', 'v1');
  if (meta.kind !== 'DeleteOptions') throw badRequest(notRegistered(meta, SCHEME));
}

function objectOf(decoded: Decoded): DeleteOptions {
  if ('fault' in decoded) throw badRequest(decoded.fault.text);
  return decoded.object as DeleteOptions;
}
