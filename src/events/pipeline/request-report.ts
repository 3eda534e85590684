import { isBytes } from '../../http/bytes.js';
import type { ApiResponse } from '../../http/response.js';
import type { RequestObservation } from '../../observe/observation.js';
import { reportedScope, servedAs } from '../request/scope.js';
import type { RequestContext } from './request-context.js';

/** Reports an answered request to `observe`, if there is an observer. */
export function reportRequest(context: RequestContext, { status, body }: ApiResponse): void {
  const { parts, started, request, caller, impersonator } = context;
  if (started === undefined) return;
  // Clients could invent any number of versions below our group.
  const scope = context.served || isServed(context) ? context.scope : undefined;
  // One literal without spreads or later additions: this takes a twentieth of every get.
  const observation = {
    type: 'request',
    verb: context.scope?.verb || request.method.toLowerCase(),
    status,
    durationMs: parts.dependencies.clock.monotonic() - started,
    auditId: context.auditId,
    caller: caller?.name,
    url: request.url,
    group: scope?.group ?? '',
    version: scope?.version ?? '',
    resource: scope === undefined ? '' : 'events',
    namespace: scope?.namespace ?? '',
    scope: reportedScope(scope),
    dryRun: dryRunOf(context),
    responseBytes: lengthOf(body),
  } as const satisfies RequestObservation;
  parts.notify(impersonator === undefined ? observation : { ...observation, impersonator: impersonator.name });
}

function lengthOf(body: ApiResponse['body']): number | undefined {
  if (typeof body === 'string') return body.length;
  return isBytes(body) ? body.byteLength : undefined;
}

function isServed({ scope, parts }: RequestContext): boolean {
  return scope?.routed === true && servedAs(scope.group, scope.version, parts.versions) !== undefined;
}

function dryRunOf({ query }: RequestContext): RequestObservation['dryRun'] {
  const values = query.size === 0 ? undefined : query.get('dryRun');
  if (values === undefined) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}
