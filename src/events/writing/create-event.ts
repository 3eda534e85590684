import { readWriteOptions } from '../../api/options/write-options.js';
import { chain } from '../../http/promise.js';
import { admitNew } from './store-new.js';
import { bodyMediaType, decodeNewEvent, readBytes, requireNamespace } from './request-body.js';
import type { Result, VerbCall } from '../request/call.js';

/** A new event in the path's namespace. Waits for nothing but the body and the store; refuses at once what it can. */
export function create(call: VerbCall): Result | Promise<Result> {
  const mediaType = bodyMediaType(call);
  return chain(readBytes(call), (bytes) => {
    const options = readWriteOptions(call.query, 'CreateOptions');
    return chain(decodeNewEvent(call, bytes, mediaType, options), (event) => {
      requireNamespace(call, event);
      return admitNew(call, event, options);
    });
  });
}
