import { readWriteOptions, type WriteOptions } from '../../api/options/write-options.js';
import { isPromise } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import { admitNew } from '../admit-new.js';
import { bodyMediaType, decodeEventBody, readBytes, requireNamespace } from './body.js';
import type { Result, VerbCall } from './call.js';

/** A new event in the path's namespace. Waits for nothing but the body and the store; refuses at once what it can. */
export function create(call: VerbCall): Promise<Result> {
  const mediaType = bodyMediaType(call);
  const decoded = (bytes: Uint8Array): Promise<Result> => {
    const options = readWriteOptions(call.query, 'CreateOptions');
    const event = decodeEventBody(call, bytes, mediaType, options);
    return isPromise(event) ? event.then((read) => admit(call, read, options)) : admit(call, event, options);
  };
  const bytes = readBytes(call);
  return isPromise(bytes) ? bytes.then(decoded) : decoded(bytes);
}

function admit(call: VerbCall, event: Event, options: WriteOptions): Promise<Result> {
  requireNamespace(call, event);
  return admitNew(call, event, options);
}
