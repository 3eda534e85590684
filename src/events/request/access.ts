import { statusError } from '../../api/status/status-error.js';
import type { Access } from '../../auth/access.js';
import type { Attributes } from '../../auth/contract.js';
import { forbiddenStatus } from '../../auth/resource-refusal.js';
import { chain } from '../../http/promise.js';
import type { Caller } from '../../model/caller.js';
import { NOSNIFF } from '../../responses/fixed-responses.js';
import type { Verb } from './scope.js';
import type { VerbCall } from './call.js';

/** Asks the authorizer. @throws StatusError 403 */
export function authorize(access: Access, caller: Caller, attributes: Attributes): void | Promise<void> {
  return chain(access.authorize(caller, attributes), ({ allowed, reason }) => {
    if (!allowed) throw statusError(forbiddenStatus(caller, attributes, reason), NOSNIFF);
  });
}

/** A second right that an operation turns out to need. @throws StatusError 403 */
export async function requireAccess(call: VerbCall, verb: Verb): Promise<void> {
  const { scope, dependencies, caller } = call;
  await authorize(dependencies.access, caller, { ...scope.attributes, verb });
}
