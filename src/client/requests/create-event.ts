import { header } from '../../http/headers.js';
import { isObject, type JsonObject } from '../../json/json-tree.js';
import type { Event } from '../../model/event.js';
import type { CallOptions } from '../contract/events-client.js';
import { connectionError, isAlreadyExists, isStatusError } from '../contract/errors.js';
import { httpDate } from './response-headers.js';
import { readObject } from './read-response.js';
import { askObject, send, withDeadline, type CallContext, type ClientRequest } from './call.js';
import type { Deadline } from './deadline.js';
import { hasUnknownOutcome, notCarriedOut, readFailed, repeat, type MayRepeat } from './repeat.js';

/** Times of stored events and the Date header have whole seconds, and the clocks of a server's replicas differ. */
const INEXACT_MS = 5_000;

/** Codes of refusals of the content: earlier attempts of the same request were refused as well. */
const CONTENT_REFUSALS = [400, 413, 415, 422];

const mayCreateAgain: MayRepeat = (error) => notCarriedOut(error) || hasUnknownOutcome(error);

/**
 * Creates an event with a fixed name. It may be sent again after an unknown outcome, because a name is taken only once;
 * the stored event, which `read` returns, then decides the result.
 */
export function createNamed(
  context: CallContext,
  event: Event,
  create: ClientRequest,
  read: ClientRequest,
  limits: CallOptions,
): Promise<JsonObject> {
  const began = context.clock.monotonic();
  let unknown: unknown;

  const attempt = async (deadline: Deadline): Promise<JsonObject> => {
    try {
      return await askObject(context, create, deadline.signal);
    } catch (error) {
      if (unknown !== undefined && isAlreadyExists(error)) {
        const own = await findOwn(context, event, read, deadline, began);
        if (own !== undefined) return own;
        // The name belongs to another event, so that the first attempts were refused as well.
        unknown = undefined;
        throw error;
      }
      if (hasUnknownOutcome(error)) unknown ??= error;
      throw error;
    }
  };

  return withDeadline(context, limits, async (deadline) => {
    try {
      return await repeat(context, deadline, mayCreateAgain, () => attempt(deadline));
    } catch (error) {
      const isCertain = isStatusError(error) && CONTENT_REFUSALS.includes(error.code);
      if (deadline.signal.aborted || unknown === undefined || hasUnknownOutcome(error) || isCertain) throw error;
      throw connectionError('whether the event was created is not known', true, error);
    }
  });
}

/** The stored event if this call has created it, else undefined. */
function findOwn(
  context: CallContext,
  event: Event,
  read: ClientRequest,
  deadline: Deadline,
  began: number,
): Promise<JsonObject | undefined> {
  return repeat(context, deadline, readFailed, async () => {
    const response = await send(context, read, deadline.signal);
    const now = httpDate(header(response, 'date'));
    const stored = await readObject(context, response, deadline.signal);
    const newest = context.clock.monotonic() - began + INEXACT_MS;
    // An equal event that is older was created by another call. Both times are the server's.
    const isOlder = now !== undefined && now - createdMs(stored) > newest;
    return !isOlder && holds(stored, event) ? stored : undefined;
  });
}

function createdMs(stored: JsonObject): number {
  const { metadata } = stored;
  const created = isObject(metadata) ? metadata.creationTimestamp : undefined;
  return typeof created === 'string' ? Date.parse(created) : Number.NaN;
}

/** The fields that updates may change (series and metadata; in core/v1 the counts): others may have done so since. */
const CHANGING = new Set(['metadata', 'series', 'apiVersion', 'kind', 'deprecatedCount', 'deprecatedLastTimestamp']);

/** True if everything that was sent is stored. */
function holds(stored: JsonObject, sent: Event): boolean {
  return Object.entries(sent).every(([name, value]) => CHANGING.has(name) || isWithin(value, stored[name], name));
}

function isWithin(value: unknown, stored: unknown, name: string): boolean {
  if ((value ?? '') === '') return (stored ?? '') === '';
  if (typeof value === 'string' && typeof stored === 'string') {
    // Servers store U+FFFD for an unpaired surrogate, which is what is left of a character that was cut.
    return value.toWellFormed() === stored || (name === 'eventTime' && sameTime(value, stored));
  }
  if (isObject(value)) {
    return isObject(stored) && Object.entries(value).every(([key, part]) => isWithin(part, stored[key], key));
  }
  return value === stored;
}

/** Servers store six fractional digits, whatever a client has sent. */
function sameTime(text: string, other: string): boolean {
  return Date.parse(text) === Date.parse(other) && micros(text) === micros(other);
}

const micros = (text: string): string => (/\.(\d+)/.exec(text)?.[1] ?? '').padEnd(6, '0').slice(0, 6);
