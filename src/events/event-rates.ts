import type { WriteOptions } from '../api/options/write-options.js';
import { tooManyRequests } from '../api/status/failures.js';
import type { Event } from '../model/event.js';
import type { VerbCall } from './verbs/call.js';

/**
 * Counts a valid write against the limits on rates, once for each request; a dry run counts nothing. Which version it came
 * in makes no difference.
 *
 * @throws StatusError 429
 */
export function requireEventRate(call: VerbCall, event: Event, { dryRun }: WriteOptions): void {
  const { rates } = call.environment;
  if (rates === undefined || dryRun) return;
  const refusal = rates.debit({ namespace: call.scope.namespace, user: call.caller.name, event });
  if (refusal) throw tooManyRequests(refusal.text, refusal.retryAfterSeconds);
}
