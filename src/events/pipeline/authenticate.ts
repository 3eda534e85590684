import { unauthorized } from '../../api/status/failures.js';
import { statusError } from '../../api/status/status-error.js';
import { bearerWarning } from '../../auth/bearer-token.js';
import { chain } from '../../http/promise.js';
import type { Caller } from '../../model/caller.js';
import { attributesOf, type RequestContext } from './request-context.js';

/** Asks the service who sends the request. @throws StatusError 401 */
export function authenticate(context: RequestContext): Caller | Promise<Caller> {
  const { parts, request, preset, warnings } = context;
  return chain(preset ?? parts.dependencies.access.authenticate(request), (caller) => {
    if (!caller) throw unauthorized();
    context.caller = caller;
    const extraSpace = preset ? undefined : bearerWarning(request);
    if (extraSpace) warnings.push(extraSpace);
    return caller;
  });
}

/** Replaces the caller by the user that the request asks to impersonate, if any. @throws StatusError 400, 403 */
export function impersonate(context: RequestContext, authenticated: Caller): Caller | Promise<Caller> {
  const { access } = context.parts.dependencies;
  return chain(access.impersonate(context.request, authenticated, attributesOf(context)), (answer) => {
    if ('refused' in answer) throw statusError(answer.refused, { 'x-content-type-options': 'nosniff' });
    const { caller } = answer;
    if (caller !== authenticated) [context.caller, context.impersonator] = [caller, authenticated];
    return caller;
  });
}
