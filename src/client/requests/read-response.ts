import type { Clock } from '../../clock/clock.js';
import { header } from '../../http/headers.js';
import { isStream, type ApiResponse } from '../../http/response.js';
import { isObject, type JsonObject } from '../../json/json-tree.js';
import { scanJson } from '../../json/scan-json.js';
import { jsonValue } from '../../json/json-value.js';
import type { Status } from '../../model/status.js';
import { connectionError, responseError, statusError, type StatusError } from '../contract/errors.js';
import { retryAfterMs } from './response-headers.js';
import { isWellFormed } from './paths.js';
import { discard, readBody } from './read-body.js';

const MAX_REFUSAL_BYTES = 1_048_576;
/** The longest text of a server that an error's message repeats, in characters. */
const SHOWN = 200;

/** Lists of events have a field or item in 14 bytes or more. Millions of tiny ones take seconds and gigabytes to parse. */
const BYTES_PER_MEMBER = 12;
/** So many fields and items are parsed in any case. */
const MANY_MEMBERS = 500_000;

/** What all responses of a client are read with. */
export interface ReadOptions {
  readonly clock: Clock;
  /** The address of the server, where the transport has one. */
  readonly server?: string | undefined;
  readonly maxResponseBytes: number;
}

/** The address of the server in the text of an error, after its subject: a program may have several servers. */
export const from = ({ server }: Pick<ReadOptions, 'server'>): string =>
  server === undefined ? '' : ` from ${server}`;

/** The JSON object of a response. @throws StatusError, ResponseError, ConnectionError */
export async function readObject(
  options: ReadOptions,
  response: ApiResponse,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { status } = response;
  if (!isSuccess(status)) throw await refusal(options, response, signal);
  refuseCompressed(options, response);
  const { text, cut } = await readBody(response, options.maxResponseBytes, signal);
  if (cut) throw responseError(`the response${from(options)} has more than ${options.maxResponseBytes} bytes`, status);
  const maxMembers = Math.max(MANY_MEMBERS, Math.floor(options.maxResponseBytes / BYTES_PER_MEMBER));
  if (text.length > maxMembers && scanJson(text, maxMembers).members > maxMembers) {
    throw responseError(`the response${from(options)} has more than ${maxMembers} fields and items`, status);
  }
  const object = parseObject(text);
  if (object === undefined) {
    // Over HTTP/2 a stream that was reset may look like one that ended.
    if (isCutObject(text) || (text === '' && hasUnknownEnd(response))) {
      throw connectionError(`the connection was closed before the response${from(options)} was complete`, true);
    }
    throw responseError(`the response${from(options)} is not a JSON object: ${shown(text) || 'it is empty'}`, status);
  }
  if (object.kind === 'Status' && object.status === 'Failure') throw statusError(cleanStatus(object), status);
  return object;
}

/** @throws ResponseError for a compressed response, whose body is released: it would keep its connection */
export function refuseCompressed(options: ReadOptions, response: ApiResponse): void {
  const encoding = header(response, 'content-encoding');
  if (encoding === undefined || encoding === 'identity') return;
  discard(response);
  const message = `the response${from(options)} is compressed (${shown(encoding)}), which was not requested`;
  throw responseError(message, response.status);
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The error of a refused request. `hint` ends its message if the response is no Status but a proxy's text. */
export async function refusal(
  { clock, maxResponseBytes, server = 'the server' }: ReadOptions,
  response: ApiResponse,
  signal: AbortSignal,
  hint = '',
): Promise<StatusError> {
  const { status } = response;
  const after = retryAfterMs(header(response, 'retry-after'), header(response, 'date'), clock.now() / 1000);
  const { text, cut } = await readBody(response, Math.min(maxResponseBytes, MAX_REFUSAL_BYTES), signal);
  const object = cut ? undefined : parseObject(text);
  if (object?.kind === 'Status') return statusError(cleanStatus(object), status, after);
  const words = shown(text);
  const redirect = status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
  const message = `${server} responded with ${status}${redirect}${words && `: ${words}`}${hint}`;
  return statusError({ message }, status, after);
}

export function frameError(object: unknown): StatusError {
  const status = isObject(object) ? cleanStatus(object) : {};
  return statusError(status, status.code ?? 500);
}

/** The object, or undefined for a text that is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  const value = jsonValue(text);
  return isObject(value) ? value : undefined;
}

/** The longest text that identifies an event, in characters: those who follow events or record them keep these texts. */
const MAX_IDENTITY = 2_048;
const isAbsentOrIdentity = (value: unknown): boolean =>
  value === undefined || value === null || (isWellFormed(value) && value.length <= MAX_IDENTITY);

/** True for an object with the metadata of an event. As for client-go, what identifies it must be strings in Unicode. */
export function isEventObject(value: unknown): value is JsonObject {
  if (!isObject(value) || !isObject(value.metadata)) return false;
  const { name, namespace, uid, resourceVersion } = value.metadata;
  return [name, namespace, uid, resourceVersion].every(isAbsentOrIdentity);
}

/** True where only the end of the connection or stream ends the body: there is neither a length nor a last chunk. */
const hasUnknownEnd = ({ body, headers }: ApiResponse): boolean =>
  isStream(body) && headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;

/** True for the beginning of a JSON object whose end is missing. */
function isCutObject(text: string): boolean {
  const start = text.search(/\S/);
  if (text[start] !== '{') return false;
  let open = 0;
  let isInString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (isInString) {
      if (char === '\\') at++;
      else if (char === '"') isInString = false;
    } else if (char === '"') {
      isInString = true;
    } else if (char === '{' || char === '[') {
      open++;
    } else if (char === '}' || char === ']') {
      open--;
      // What follows a whole object is another fault.
      if (open === 0) return false;
    }
  }
  return true;
}

/** The beginning of a server's text in one line, without the tags of a page and without control characters. */
export function shown(text: string): string {
  const start = text.slice(0, 4_096);
  const plain = /^\s*</.test(start) ? start.replace(/<(script|style)\b[^]*?<\/\1>|<[^>]*>/gi, ' ') : start;
  const line = plain.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

/** Only the fields that have the types of a Status: a server may send anything. */
function cleanStatus(object: JsonObject): Parameters<typeof statusError>[0] {
  const { message, reason, details, code } = object;
  return {
    ...(typeof message === 'string' && { message }),
    ...(typeof reason === 'string' && { reason }),
    ...(isObject(details) && { details: cleanDetails(details) }),
    ...(Number.isInteger(code) && (code as number) >= 400 && { code: code as number }),
  };
}

function cleanDetails(details: JsonObject): NonNullable<Status['details']> {
  const { causes, retryAfterSeconds, ...rest } = details;
  const texts = Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value === 'string'));
  return {
    ...texts,
    ...(Array.isArray(causes) && { causes: causes.filter(isObject) }),
    ...(typeof retryAfterSeconds === 'number' && retryAfterSeconds >= 0 && { retryAfterSeconds }),
  };
}
