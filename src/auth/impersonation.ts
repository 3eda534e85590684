import { isPromise } from '../http/promise.js';
import type { Caller } from '../model/caller.js';
import type { Status } from '../model/status.js';
import { failureStatus } from '../responses/failure-status.js';
import { ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED } from './contract.js';
import type { Attributes, Authorize, Impersonate, Impersonated, ResourceAttributes } from './contract.js';
import { applicableModes, type ImpersonationMode } from './impersonation-modes.js';
import { asksToImpersonate, wantedCaller } from './impersonation-headers.js';
import { forbiddenStatus } from './refusal.js';

/** The refusal of a check; `undefined` means allowed. */
type Refused = Status | undefined;

/** With at least this many checks of one kind, the right to all of them is checked first. */
const MANY = 4;

const AUTHENTICATION = { group: 'authentication.k8s.io', version: 'v1' } as const;

/**
 * Creates the impersonation by the headers `Impersonate-User`, `-Group`, `-Uid` and `-Extra-KEY`. The modes are tried
 * in the order of Kubernetes: first the constrained modes, which need `impersonate:MODE` on the target user and
 * `impersonate-on:MODE:VERB` on the object of the request, then the older verb `impersonate`. If all modes refuse, the
 * refusal is that of the first one. Requests without the headers cause no additional calls of the authorizer.
 *
 * Servers join repeated headers with `, `; so a group or an extra value is split there, and each part is
 * checked separately.
 */
export function createImpersonation(authorize: Authorize): Impersonate {
  return (request, caller, attributes) => {
    if (!asksToImpersonate(request)) return { caller };
    const wanted = wantedCaller(request);
    if (wanted === undefined) return { caller };
    if ('fault' in wanted) return { refused: failureStatus(400, 'BadRequest', wanted.fault) };
    return impersonated(authorize, caller, wanted, attributes);
  };
}

async function impersonated(
  authorize: Authorize,
  requestor: Caller,
  wanted: Caller,
  attributes: Attributes,
): Promise<Impersonated> {
  let refused: Refused;
  for (const mode of applicableModes(requestor, wanted)) {
    const failure = await refusalOf({ authorize, mode, wanted, attributes });
    if (failure === undefined) return { caller: withGroups(wanted, mode.groups) };
    refused ??= failure;
  }
  return { refused: refused as Status };
}

interface Check {
  readonly authorize: Authorize;
  readonly mode: ImpersonationMode;
  readonly wanted: Caller;
  readonly attributes: Attributes;
}

async function refusalOf(check: Check): Promise<Refused> {
  const { wanted, attributes } = check;
  const { constraint, verb, user, requestor } = check.mode;
  const usersGroup = constraint === undefined ? { group: '', version: 'v1' } : AUTHENTICATION;
  const refused = await askEach(check, [
    ...(constraint === undefined ? [] : [{ ...attributes, verb: `impersonate-on:${constraint}:${attributes.verb}` }]),
    { verb, ...usersGroup, ...user },
    ...(wanted.uid ? [{ verb, ...AUTHENTICATION, resource: 'uids', name: wanted.uid }] : []),
  ]);
  if (refused) return refused;
  const groups = { verb, ...usersGroup, resource: 'groups' };
  if (constraint !== undefined) {
    const fault = groupFault(wanted.groups);
    if (fault) return forbiddenStatus(requestor, { ...groups, ...(fault.name && { name: fault.name }) }, fault.reason);
  }
  const wantedGroups = wanted.groups.map((name): ResourceAttributes => ({ ...groups, name }));
  const refusedGroup = await askAll(check, wantedGroups, { ...groups, name: '*' });
  if (refusedGroup) return refusedGroup;
  return extraRefusal(check, { verb, ...AUTHENTICATION, resource: 'userextras' });
}

async function extraRefusal(check: Check, extras: ResourceAttributes): Promise<Refused> {
  const { mode, wanted } = check;
  const entries = Object.entries(wanted.extra ?? {});
  const fault = mode.constraint === undefined ? undefined : entries.map(extraFault).find((text) => text !== undefined);
  if (fault) return forbiddenStatus(mode.requestor, extras, fault);
  const all = entries.flatMap(([subresource, values]) => values.map((name) => ({ ...extras, subresource, name })));
  return askAll(check, all, { ...extras, subresource: '*', name: '*' });
}

/** Checks each item. In a constrained mode with many items, the right to all of them is checked first. */
async function askAll(check: Check, each: readonly ResourceAttributes[], all: ResourceAttributes): Promise<Refused> {
  if (check.mode.constraint !== undefined && each.length >= MANY && !(await askEach(check, [all]))) return undefined;
  return askEach(check, each);
}

async function askEach({ authorize, mode: { requestor } }: Check, each: readonly Attributes[]): Promise<Refused> {
  for (const attributes of each) {
    const decision = authorize(requestor, attributes);
    const { allowed, reason } = isPromise(decision) ? await decision : decision;
    if (!allowed) return forbiddenStatus(requestor, attributes, reason);
  }
  return undefined;
}

function groupFault(groups: readonly string[]): { readonly name?: string; readonly reason: string } | undefined {
  if (groups.includes('')) return { reason: 'impersonating the empty string group is not allowed' };
  if (!groups.includes(MASTERS)) return undefined;
  return { name: MASTERS, reason: 'impersonating the system:masters group is not allowed' };
}

function extraFault([key, values]: readonly [string, readonly string[]]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  if (!DOMAIN_PREFIXED.test(key)) {
    const fault = `extra.key: Invalid value: ${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo")`;
    return `impersonating an invalid key in extra is not allowed: ${fault}`;
  }
  if (key !== key.toLowerCase()) {
    return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
  }
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined;
}

const DOMAIN_PREFIXED =
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Adds `system:authenticated`, or `system:unauthenticated` for the anonymous user, unless one of them is there. */
function withGroups(wanted: Caller, given: readonly string[]): Caller {
  const groups = [...wanted.groups, ...given];
  const requiredGroup = wanted.name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
  if (!groups.includes(requiredGroup) && !groups.includes(UNAUTHENTICATED)) groups.push(requiredGroup);
  return { ...wanted, groups };
}
