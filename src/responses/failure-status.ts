import type { ListMeta } from '../model/object-meta.js';
import type { Status, StatusDetails, StatusReason } from '../model/status.js';

const NO_METADATA: ListMeta = /* @__PURE__ */ Object.freeze({});

/** Returns a failure as a Status, with its fields in wire order. */
export function failureStatus(
  code: number,
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
  metadata: ListMeta = NO_METADATA,
): Status {
  const status = { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message, reason } as const;
  return details === undefined ? { ...status, code } : { ...status, details, code };
}

export const UNAUTHORIZED: Status = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ failureStatus(401, 'Unauthorized', 'Unauthorized'),
);

/** The message of a 400 about `?timeout=`. `fault` is the error text of Go. */
export function badTimeoutMessage(fault: string): string {
  return `invalid timeout specified in the request URL - ${fault}`;
}

export const SHUTTING_DOWN = 'apiserver is shutting down';
