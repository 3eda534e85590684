import { tooManyRequests } from '../../api/status/failures.js';
import type { StatusFailure } from '../../api/status/status-failure.js';
import type { VerbCall } from './call.js';

/**
 * Counts bytes of a request, or of its response, until the response is complete. A request waits for capacity once: what
 * it counted before is replaced.
 *
 * @throws StatusFailure 429 without capacity
 */
export async function holdBytes({ dependencies, caller, life }: VerbCall, bytes: number): Promise<void> {
  if (life.heldBytes !== undefined) return life.heldBytes.become(bytes);
  const held = await dependencies.limits.hold(bytes, caller, life);
  if (held === undefined) throw noCapacity();
  life.holdBytes(held);
}

export function noCapacity(): StatusFailure {
  return tooManyRequests(
    'bodies of this caller, or of all callers, take too much memory, please try again later, or list fewer items with limit',
    1,
  );
}
