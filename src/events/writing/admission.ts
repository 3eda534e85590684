import type { WriteOptions } from '../../api/options/write-options.js';
import { tooManyRequests } from '../../api/status/failures.js';
import { dedupeOwnerReferences } from '../../api/validation/owner-references.js';
import type { Event } from '../../model/event.js';
import { storeError } from '../../store/contract/errors.js';
import type { EventStore } from '../../store/contract/event-store.js';
import { eventSize, type EncodedEvent } from '../../store/contract/record.js';
import type { VerbCall } from '../request/call.js';

export function dedupeOwners(call: VerbCall, event: Event, stage: 'request' | 'patch'): void {
  const owners = event.metadata.ownerReferences;
  if (!owners || owners.length < 2) return;
  const { references, warning } = dedupeOwnerReferences(owners, stage);
  event.metadata.ownerReferences = references;
  if (warning) call.warnings.push(warning);
}

/** Counts a valid write, once for each request, against the rate limits, except a dry run. @throws StatusFailure 429 */
export function requireEventRate(call: VerbCall, event: Event, { dryRun }: WriteOptions): void {
  const { rates } = call.dependencies;
  if (rates === undefined || dryRun || call.isCounted) return;
  call.isCounted = true;
  const refusal = rates.debit({ namespace: call.scope.namespace, user: call.caller.name, event });
  if (refusal) throw tooManyRequests(refusal.text, refusal.retryAfterSeconds);
}

/** Checks the size of an event in a dry run, which the store does not see. @throws StoreError `too-large` */
export function requireFits({ capabilities }: EventStore, event: EncodedEvent): void {
  if (eventSize(event) <= capabilities.maxEventBytes) return;
  throw storeError('too-large', `the event has more than ${capabilities.maxEventBytes} bytes`);
}
