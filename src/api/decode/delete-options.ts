import type { DeleteOptions } from '../options/delete-options.js';
import { deleteOptionsShape } from '../schema/delete-options-schema.js';
import { badRequest } from '../status/failures.js';
import { decodeObject } from './decode-object.js';
import { readDocument, whenRead, type BodyMediaType, type ReadDocument } from './read-document.js';
import { notRegistered, readTypeMeta, withDefaults } from './type-meta.js';

const SCHEME = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27';

/**
 * The options in the body of a delete request. Ask only when there is a body: one that says `null` counts as a body, with
 * no option set. The kind must be DeleteOptions where one is given, the apiVersion may be any, unknown fields do not
 * matter (Kubernetes behaviour).
 *
 * @throws StatusError 400 with the bare words of the decoder
 */
export function decodeDeleteOptions(
  body: Uint8Array,
  mediaType: BodyMediaType,
): DeleteOptions | Promise<DeleteOptions> {
  return whenRead(readDocument(body, mediaType), decodeDocument);
}

function decodeDocument(read: ReadDocument): DeleteOptions {
  if ('error' in read) throw badRequest(read.error);
  const said = readTypeMeta(read.document.value);
  if ('error' in said) throw badRequest(said.error);
  const meta = withDefaults(said, 'DeleteOptions', 'v1');
  if (meta.kind !== 'DeleteOptions') throw badRequest(notRegistered(meta, SCHEME));
  const decoded = decodeObject(read.document.value, deleteOptionsShape(), read.document);
  if ('fault' in decoded) throw badRequest(decoded.fault.text);
  return decoded.object as DeleteOptions;
}
