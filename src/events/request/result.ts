import { nextTurn } from '../../clock/next-turn.js';
import { eventSize, type EventRecord } from '../../store/record.js';
import type { Result, VerbCall } from './call.js';

/** To read an event of more bytes, to change it, and to bring it into another version and form takes a turn of the event loop each. */
const VAST_BYTES = 524_288;

/** True for an event that takes milliseconds to read. */
export const isVast = ({ event }: EventRecord): boolean => eventSize(event) > VAST_BYTES;

/** A stored event as the answer. */
export function storedObject(call: VerbCall, status: 200 | 201 | 202, record: EventRecord): Result | Promise<Result> {
  if (isVast(record)) return vastObject(call, status, record);
  return { kind: 'object', status, json: call.version.object(record) };
}

/** The same, with turns of the event loop before and after it. */
async function vastObject({ version }: VerbCall, status: 200 | 201 | 202, record: EventRecord): Promise<Result> {
  await nextTurn();
  const json = version.object(record);
  await nextTurn();
  return { kind: 'object', status, json };
}
