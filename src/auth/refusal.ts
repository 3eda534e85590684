import { goQuote } from '../http/go-quote.js';
import type { ApiResponse } from '../http/response.js';
import type { Caller } from '../model/caller.js';
import type { Status, StatusDetails } from '../model/status.js';
import type { Attributes, ResourceAttributes } from './contract.js';

const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-cache, private',
  'content-type': 'application/json',
});

const FORBIDDEN_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...JSON_HEADERS,
  'x-content-type-options': 'nosniff',
});

const UNAUTHORIZED: Status = Object.freeze({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: Object.freeze({}),
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
});

const unauthorizedBody = `${JSON.stringify(UNAUTHORIZED)}\n`;

/** 401 as JSON. There is no `WWW-Authenticate` header: Kubernetes sends none. */
export function unauthorizedResponse(): ApiResponse {
  return { status: 401, headers: JSON_HEADERS, body: unauthorizedBody };
}

/** The 401 as a Status, for answers in a negotiated form. */
export function unauthorizedStatus(): Status {
  return UNAUTHORIZED;
}

/** True when a resource is asked for, false for a plain path. */
export function isResourceAttributes(attributes: Attributes): attributes is ResourceAttributes {
  return 'resource' in attributes;
}

/**
 * The message of a 403, word for word Kubernetes'. The sentence about the user is HTML-escaped (`&`, `<`, `>`), as the
 * original does; the name of the object and the reason stay as they are.
 *
 * @param reason what the authorizer had to say; ends the message
 */
export function forbiddenMessage(caller: Caller, attributes: Attributes, reason?: string): string {
  const text = escapeHtml(sentence(caller, attributes)) + (reason ? `: ${reason}` : '');
  if (!isResourceAttributes(attributes) || attributes.resource === '') return `forbidden: ${text}`;
  const { group, resource, name } = attributes;
  const qualified = group ? `${resource}.${group}` : resource;
  return name ? `${qualified} "${name}" is forbidden: ${text}` : `${qualified} is forbidden: ${text}`;
}

/** The 403 as a Status: `details` names the resource, or is empty for a path. */
export function forbiddenStatus(caller: Caller, attributes: Attributes, reason?: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: forbiddenMessage(caller, attributes, reason),
    reason: 'Forbidden',
    details: isResourceAttributes(attributes) ? detailsOf(attributes) : {},
    code: 403,
  };
}

/** 403 as JSON, with `X-Content-Type-Options: nosniff`. */
export function forbiddenResponse(caller: Caller, attributes: Attributes, reason?: string): ApiResponse {
  return refusedResponse(forbiddenStatus(caller, attributes, reason));
}

/** A 403, or another refusal of the way to authorization, as JSON, with `X-Content-Type-Options: nosniff`. */
export function refusedResponse(status: Status): ApiResponse {
  return { status: status.code ?? 403, headers: FORBIDDEN_HEADERS, body: `${JSON.stringify(status)}\n` };
}

function detailsOf({ name, group, resource }: ResourceAttributes): StatusDetails {
  return { ...(name && { name }), ...(group && { group }), ...(resource && { kind: resource }) };
}

function sentence(caller: Caller, attributes: Attributes): string {
  const user = `User ${goQuote(caller.name)} cannot ${attributes.verb}`;
  if (!isResourceAttributes(attributes)) return `${user} path ${goQuote(attributes.path)}`;
  const { resource, subresource, group, namespace } = attributes;
  const what = goQuote(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${goQuote(namespace)}` : 'at the cluster scope';
  return `${user} resource ${what} in API group ${goQuote(group)} ${where}`;
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => HTML[character] ?? character);
}
