import { chain } from '../../http/promise.js';
import type { BodyLimits } from '../body/parse-body.js';
import type { DeleteOptions } from '../options/delete-options.js';
import { deleteOptionsShape } from '../schema/meta-shapes.js';
import { badRequest } from '../status/failures.js';
import { decodeObject } from './decode-object.js';
import { readDocument, type BodyMediaType, type ReadDocument } from './read-document.js';
import { notRegistered, withDefaults } from './type-meta.js';

const SCHEME = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27';

/** The options in the body of a delete, lenient as in Kubernetes. @throws StatusFailure 400; 413 for too many fields */
export function decodeDeleteOptions(
  body: Uint8Array,
  mediaType: BodyMediaType,
  limits: BodyLimits,
): DeleteOptions | Promise<DeleteOptions> {
  return chain(readDocument(body, mediaType, limits), decodeRead);
}

function decodeRead(read: ReadDocument): DeleteOptions {
  if ('error' in read) throw badRequest(read.error);
  const meta = withDefaults(read.type, 'DeleteOptions', 'meta.k8s.io/v1');
  if (meta.kind !== 'DeleteOptions') throw badRequest(notRegistered(meta, SCHEME));
  const shape = deleteOptionsShape();
  const document = read.document(shape);
  if ('error' in document) throw badRequest(document.error);
  const decoded = decodeObject(document.value, shape, document);
  if ('fault' in decoded) throw badRequest(decoded.fault.text);
  return decoded.object as DeleteOptions;
}
