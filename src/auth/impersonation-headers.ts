import { header, headerValues, utf8Value } from '../http/headers.js';
import type { ApiRequest } from '../http/request.js';
import { decodePath } from '../http/url.js';
import type { Caller } from '../model/caller.js';
import type { Status } from '../model/status.js';
import { failureStatus } from '../responses/failure-status.js';
import { goQuote } from '../json/go-print.js';
import type { Impersonate } from './contract.js';

const EXTRA = 'impersonate-extra-';
/** A limit, because the authorizer is called for each group and each value. */
const MAX_PARTS = 256;

/** Returns the user to impersonate. A UID, groups or extra values without a name are a fault, as in Kubernetes. */
export function wantedCaller(request: ApiRequest): Caller | { readonly fault: string } | undefined {
  const name = utf8Value(header(request, 'impersonate-user') ?? '');
  const uid = utf8Value(header(request, 'impersonate-uid') ?? '');
  const groups = separated(headerValues(request, 'impersonate-group'));
  const extra = extraOf(request);
  if (groups.length + Object.values(extra ?? {}).flat().length > MAX_PARTS) {
    return { fault: `impersonation may not name more than ${MAX_PARTS} groups and extra values` };
  }
  if (name !== '') return { name, groups, ...(uid && { uid }), ...(extra && { extra }) };
  if (uid === '' && groups.length === 0 && !extra) return undefined;
  return { fault: `requested ${printed(uid, groups, extra)} without impersonating a user name` };
}

/** Node and fetch join repeated headers with `, `, so a value that contains `, ` is split as well. */
function separated(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(', ', MAX_PARTS + 1).map(utf8Value));
}

type Extra = Readonly<Record<string, readonly string[]>>;

/** The result has no prototype, because keys come from the client. */
function extraOf(request: ApiRequest): Extra | undefined {
  let extra: Record<string, readonly string[]> | undefined;
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!name.startsWith(EXTRA) || value === undefined) continue;
    const encoded = name.slice(EXTRA.length);
    const key = decodePath(encoded) ?? encoded;
    extra ??= Object.create(null) as Record<string, readonly string[]>;
    extra[key] = [...(extra[key] ?? []), ...separated(headerValues(request, name))];
  }
  return extra;
}

/** The impersonated user as Go prints it, for the message. */
function printed(uid: string, groups: readonly string[], extra: Extra | undefined): string {
  const list = (values: readonly string[]): string =>
    values.length === 0 ? '[]string(nil)' : `[]string{${values.map(goQuote).join(', ')}}`;
  const entries = Object.entries(extra ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const map = entries.map(([key, values]) => `${goQuote(key)}:${list(values)}`).join(', ');
  const extras = extra ? `map[string][]string{${map}}` : 'map[string][]string(nil)';
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${list(groups)}, Extra:${extras}}`;
}

const PREFIX = 'impersonate-';
const LETTER_I = 0x69;
const LOWER_CASE = 0x20;

/** The 403 if impersonation is off: otherwise `kubectl delete --as=nobody` would delete with the caller's rights. */
export const NO_IMPERSONATION: Status = /* @__PURE__ */ Object.freeze(
  /* @__PURE__ */ failureStatus(
    403,
    'Forbidden',
    'forbidden: impersonation is not enabled on this server: send no Impersonate-* headers',
    {},
  ),
);

/** Whether a request has any header whose name begins with `Impersonate-`, known to Kubernetes or not. */
export function asksToImpersonate({ headers }: ApiRequest): boolean {
  for (const name in headers) {
    // This runs for every header of every request, so the first letter is compared first.
    if ((name.charCodeAt(0) | LOWER_CASE) !== LETTER_I || headers[name] === undefined) continue;
    if (name.slice(0, PREFIX.length).toLowerCase() === PREFIX) return true;
  }
  return false;
}

/** The {@link Impersonate} that refuses every request with the headers, whatever the rights of the caller. */
export const refuseImpersonation: Impersonate = (request, caller) =>
  asksToImpersonate(request) ? { refused: NO_IMPERSONATION } : { caller };
