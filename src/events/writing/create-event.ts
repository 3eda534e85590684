import { readWriteOptions } from '../../api/options/write-options.js';
import { alreadyExists, generatedNameTaken } from '../../api/status/failures.js';
import { chain } from '../../http/promise.js';
import type { Event } from '../../model/event.js';
import type { EventRecord } from '../../store/contract/record.js';
import { resourceOf, type VerbCall, type Result } from '../request/call.js';
import { decodeEvent } from '../stored-form/encode-event.js';
import { bodyMediaType, readEventBody, requireNamespace, withBody } from './request-body.js';
import { storeNewEvent } from './store-new-event.js';

/** Creates an event in the namespace of the path. Waits only for the body and the store. */
export function createEvent(call: VerbCall): Result | Promise<Result> {
  const mediaType = bodyMediaType(call);
  return withBody(call, (bytes) => {
    const options = readWriteOptions(call.query, 'CreateOptions');
    return chain(readEventBody(call, bytes, mediaType, options), (event) => {
      requireNamespace(call, event);
      return storeNewEvent(call, event, options, (existing): never => {
        throw nameTaken(call, event, existing);
      });
    });
  });
}

function nameTaken(call: VerbCall, event: Event, existing: EventRecord | undefined): Error {
  const leaving = existing !== undefined && decodeEvent(existing.event.bytes).metadata.deletionTimestamp !== undefined;
  const { name = '', generateName } = event.metadata;
  const failure = generateName ? generatedNameTaken : alreadyExists;
  return failure(resourceOf(call), name, leaving ? 'object is being deleted: ' : '');
}
