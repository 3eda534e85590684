import { hasBrand } from '../../model/brand.js';
import type { Status, StatusCause, StatusDetails } from '../../model/status.js';
import { shorten } from '../../json/go-print.js';

const BRAND: unique symbol = Symbol.for('kube-vitals.StatusFailure') as never;

/** A failure that has a Status: thrown by verbs, rendered in one place. */
export interface StatusFailure extends Error {
  readonly status: Status;
  readonly headers: Readonly<Record<string, string>>;
}

/** `retryAfterSeconds` in the details also becomes the `Retry-After` header. */
export function statusFailure(unbounded: Status, headers: Readonly<Record<string, string>> = {}): StatusFailure {
  const status = boundedStatus(unbounded);
  const retryAfter = status.details?.retryAfterSeconds;
  const all = retryAfter ? { ...headers, 'retry-after': String(retryAfter) } : headers;
  const error = new Error(status.message);
  return Object.assign(error, { name: 'StatusFailure', status, headers: all, [BRAND]: true }) as StatusFailure;
}

/** True for a {@link StatusFailure}, also of another copy of the package. */
export function isStatusFailure(value: unknown): value is StatusFailure {
  return hasBrand(value, BRAND);
}

/** The limit, in UTF-16 units of JSON, of a Status's message, and of its causes together. */
export const MAX_STATUS_LENGTH = 16_384;

/** A Status of bounded length: messages and names are truncated, and causes that do not fit are omitted. */
function boundedStatus(status: Status): Status {
  const { message = '', details } = status;
  const fitted = fitting(message);
  if (fitted === message && details === undefined) return status;
  return {
    ...status,
    ...(fitted !== message && { message: fitted }),
    ...(details && { details: boundedDetails(details) }),
  };
}

function boundedDetails(details: StatusDetails): StatusDetails {
  const { name, causes } = details;
  return {
    ...details,
    ...(name !== undefined && { name: shorten(name) }),
    ...(causes && { causes: withinLength(causes, lengthOf).map(boundedCause) }),
  };
}

function boundedCause(cause: StatusCause): StatusCause {
  const { message = '', field = '' } = cause;
  const [fitted, shortField] = [fitting(message), shorten(field, MAX_STATUS_LENGTH / 4)];
  return fitted === message && shortField === field ? cause : { ...cause, message: fitted, field: shortField };
}

/** JSON writes no UTF-16 unit with more characters. */
const MAX_ESCAPE_LENGTH = 6;

/** The beginning of a text, so that it has no more than {@link MAX_STATUS_LENGTH} units in JSON, escapes included. */
function fitting(text: string): string {
  if (text.length * MAX_ESCAPE_LENGTH <= MAX_STATUS_LENGTH) return text;
  const short = shorten(text, MAX_STATUS_LENGTH);
  return JSON.stringify(short).length <= MAX_STATUS_LENGTH + 5
    ? short
    : shorten(text, MAX_STATUS_LENGTH / MAX_ESCAPE_LENGTH);
}

const lengthOf = ({ message = '', field = '' }: StatusCause): number => message.length + field.length;

/** The first items whose lengths together are within {@link MAX_STATUS_LENGTH}, and the first one in any case. */
export function withinLength<T>(items: readonly T[], length: (item: T) => number): readonly T[] {
  let left = MAX_STATUS_LENGTH;
  const end = items.findIndex((item, index) => (left -= length(item)) < 0 && index > 0);
  return end === -1 ? items : items.slice(0, end);
}
