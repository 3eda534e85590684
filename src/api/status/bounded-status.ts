import { shorten } from '../../http/shorten.js';
import type { Status, StatusCause, StatusDetails } from '../../model/status.js';

/** The message of a Status has no more UTF-16 units than this, and its causes together have no more. */
export const MAX_STATUS_LENGTH = 16_384;

/**
 * A Status whose length does not depend on what the client sent: a long message is cut, causes that do not fit are left
 * out, and a name that can be no object's is shown by its beginning.
 */
export function boundedStatus(status: Status): Status {
  const { message = '', details } = status;
  const short = message.length <= MAX_STATUS_LENGTH;
  if (short && details === undefined) return status;
  return {
    ...status,
    ...(!short && { message: shorten(message, MAX_STATUS_LENGTH) }),
    ...(details && { details: boundedDetails(details) }),
  };
}

function boundedDetails(details: StatusDetails): StatusDetails {
  const { name, causes } = details;
  return {
    ...details,
    ...(name !== undefined && { name: shorten(name) }),
    ...(causes && { causes: withinLength(causes, lengthOf) }),
  };
}

const lengthOf = ({ message = '', field = '' }: StatusCause): number => message.length + field.length;

/** The first items whose lengths together are within {@link MAX_STATUS_LENGTH}, and the first one in any case. */
export function withinLength<T>(items: readonly T[], length: (item: T) => number): readonly T[] {
  let left = MAX_STATUS_LENGTH;
  const end = items.findIndex((item, index) => (left -= length(item)) < 0 && index > 0);
  return end === -1 ? items : items.slice(0, end);
}
