import { readWriteOptions } from '../../api/options/write-options.js';
import { isPromise } from '../../http/promise.js';
import { admitNew } from '../admit-new.js';
import { bodyMediaType, decodeEventBody, readBytes, requireNamespace } from './body.js';
import type { Result, VerbCall } from './call.js';

/** A new event in the path's namespace. */
export async function create(call: VerbCall): Promise<Result> {
  const mediaType = bodyMediaType(call);
  const bytes = await readBytes(call);
  const options = readWriteOptions(call.query, 'CreateOptions');
  const decoded = decodeEventBody(call, bytes, mediaType, options);
  const event = isPromise(decoded) ? await decoded : decoded;
  requireNamespace(call, event);
  return admitNew(call, event, options);
}
