import type { WriteOptions } from '../../api/options/write-options.js';
import { tooManyRequests } from '../../api/status/failures.js';
import type { Event } from '../../model/event.js';
import type { EventStore } from '../../store/contract/event-store.js';
import { storeError } from '../../store/contract/errors.js';
import { eventSize, type EncodedEvent } from '../../store/contract/record.js';
import type { VerbCall } from '../request/call.js';

/**
 * Counts a valid write against the limits on rates, once for each request; a dry run counts nothing. Which version it came
 * in makes no difference.
 *
 * @throws StatusError 429
 */
export function requireEventRate(call: VerbCall, event: Event, { dryRun }: WriteOptions): void {
  const { rates } = call.dependencies;
  if (rates === undefined || dryRun) return;
  const refusal = rates.debit({ namespace: call.scope.namespace, user: call.caller.name, event });
  if (refusal) throw tooManyRequests(refusal.text, refusal.retryAfterSeconds);
}

/** For a dry run: refuses what the store would refuse. @throws StoreError `too-large` */
export function requireFits({ capabilities }: EventStore, event: EncodedEvent): void {
  if (eventSize(event) <= capabilities.maxEventBytes) return;
  throw storeError('too-large', `the event has more than ${capabilities.maxEventBytes} bytes`);
}
