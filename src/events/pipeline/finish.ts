import { NO_CACHE } from '../../responses/fixed-responses.js';
import { warningHeader } from '../../api/status/warnings.js';
import type { ApiResponse } from '../../http/response.js';
import type { RequestContext } from './request-context.js';

/** The last step of every request: its end, where no stream lives on, the report, and the headers all answers have. */
export function finish(context: RequestContext, response: ApiResponse): ApiResponse {
  const { status, headers: own, body, release } = response;
  const { life, auditId } = context;
  // A stream with a deadline has a signal. Reading it would create one.
  const livesOn = 'signal' in response;
  if (!livesOn) life.finish();
  report(context, status);
  const headers: Record<string, string | readonly string[]> = {
    'audit-id': auditId,
    'cache-control': NO_CACHE,
    ...own,
  };
  const warnings = warningHeader(context.warnings);
  if (warnings.length > 0) headers['warning'] = warnings;
  if (livesOn) return life.withSignal(status, headers, body);
  return release === undefined ? { status, headers, body } : { status, headers, body, release };
}

function report(
  { parts, request, scope, caller, impersonator, auditId, started }: RequestContext,
  status: number,
): void {
  if (started === undefined) return;
  parts.notify({
    type: 'request',
    verb: scope?.verb || request.method.toLowerCase(),
    status,
    durationMs: parts.dependencies.clock.monotonic() - started,
    auditId,
    ...(caller && { caller: caller.name }),
    ...(impersonator && { impersonator: impersonator.name }),
    url: request.url,
  });
}
