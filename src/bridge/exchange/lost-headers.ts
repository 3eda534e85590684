import type { NodeSocket } from './node-socket.js';

/** The part of a request of `node:http` that shows whether all of its headers are there. */
export interface CountedHeaders {
  readonly rawHeaders?: readonly string[] | undefined;
  readonly socket?: Pick<NodeSocket, 'server'> | null | undefined;
}

/** How many names and values Node reads if `maxHeadersCount` is not set. */
const DEFAULT_LENGTH = 2_000;
/** Node reads that many names and values at a time, and stops after the time that reaches the limit. */
const READ_AT_ONCE = 62;

/** True if Node may have dropped headers beyond `maxHeadersCount`, perhaps an `Impersonate-User` that limits rights. */
export function mayLackHeaders({ rawHeaders, socket }: CountedHeaders): boolean {
  const length = rawHeaders?.length ?? 0;
  const count = (socket?.server as { readonly maxHeadersCount?: unknown } | null | undefined)?.maxHeadersCount;
  const limit = typeof count === 'number' ? 2 * count : DEFAULT_LENGTH;
  return limit > 0 && (length > limit || (length === limit && length >= READ_AT_ONCE));
}
