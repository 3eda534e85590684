import { nextTurn } from '../../clock/next-turn.js';
import type { EventRecord } from '../../store/record.js';
import type { Result, VerbCall } from './call.js';

/** To bring an event of more bytes into another version and form takes the event loop for as long as all before it. */
const VAST_BYTES = 524_288;

/** A stored event as the answer. */
export function storedObject(call: VerbCall, status: 200 | 201 | 202, record: EventRecord): Result | Promise<Result> {
  if (record.event.bytes.length > VAST_BYTES) return vastObject(call, status, record);
  return { kind: 'object', status, json: call.version.object(record) };
}

/** The same, with turns of the event loop before and after it. */
async function vastObject({ version }: VerbCall, status: 200 | 201 | 202, record: EventRecord): Promise<Result> {
  await nextTurn();
  const json = version.object(record);
  await nextTurn();
  return { kind: 'object', status, json };
}
