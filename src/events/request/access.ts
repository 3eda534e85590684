import { forbidden } from '../../api/status/failures.js';
import { statusError } from '../../api/status/status-error.js';
import type { Access } from '../../auth/access.js';
import type { Attributes, Decision } from '../../auth/contract.js';
import type { Impersonated } from '../../auth/impersonation.js';
import { forbiddenMessage } from '../../auth/resource-refusal.js';
import { isPromise } from '../../http/promise.js';
import type { Caller } from '../../model/caller.js';
import type { Verb } from '../scope.js';
import type { VerbCall } from './call.js';

/** Who a request is to be taken as coming from. @throws StatusError 400, 403 */
export function impersonatedCaller(answer: Impersonated): Caller {
  if ('caller' in answer) return answer.caller;
  throw statusError(answer.refused, { 'x-content-type-options': 'nosniff' });
}

/** Asks the authorizer; at once where that answers at once. @throws StatusError 403 */
export function authorize(access: Access, caller: Caller, attributes: Attributes): void | Promise<void> {
  const decision = access.authorize(caller, attributes);
  if (!isPromise(decision)) requireAllowed(decision, caller, attributes);
  else return Promise.resolve(decision).then((settled) => requireAllowed(settled, caller, attributes));
}

function requireAllowed(decision: Decision, caller: Caller, attributes: Attributes): void {
  if (decision.allowed) return;
  const message = forbiddenMessage(caller, attributes, decision.reason);
  if ('path' in attributes) throw forbidden(message, { group: '', resource: '' }, '');
  throw forbidden(message, { group: attributes.group, resource: attributes.resource }, attributes.name ?? '');
}

/** A second right that an operation turns out to need. @throws StatusError 403 */
export async function requireAccess(call: VerbCall, verb: Verb): Promise<void> {
  const { scope, environment, caller } = call;
  await authorize(environment.access, caller, { ...scope.attributes, verb });
}
