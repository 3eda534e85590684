import { goQuote } from '../json/go-print.js';
import type { ApiResponse } from '../http/response.js';
import type { Caller } from '../model/caller.js';
import type { Status, StatusDetails } from '../model/status.js';
import { failureStatus } from '../responses/failure-status.js';
import { NOSNIFF, NOT_CACHED, statusResponse } from '../responses/fixed-responses.js';
import type { Attributes, PathAttributes, ResourceAttributes } from './contract.js';

function pathSentence(caller: Caller, { verb, path }: PathAttributes): string {
  return `User ${goQuote(caller.name)} cannot ${verb} path ${goQuote(path)}`;
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns a sentence followed by the authorizer's reason. As in kube-apiserver, only the sentence is HTML-escaped. */
function escapedSentence(sentence: string, reason: string | undefined): string {
  const escaped = sentence.replace(/[&<>]/g, (character) => HTML[character] ?? character);
  return reason ? `${escaped}: ${reason}` : escaped;
}

export function forbiddenPathStatus(caller: Caller, attributes: PathAttributes, reason?: string): Status {
  const message = `forbidden: ${escapedSentence(pathSentence(caller, attributes), reason)}`;
  return failureStatus(403, 'Forbidden', message, {});
}

export function isResourceAttributes(attributes: Attributes): attributes is ResourceAttributes {
  return 'resource' in attributes;
}

/** Returns the message of a 403, identical to that of Kubernetes. The name and the reason are not escaped. */
export function forbiddenMessage(caller: Caller, attributes: Attributes, reason?: string): string {
  const text = escapedSentence(sentence(caller, attributes), reason);
  if (!isResourceAttributes(attributes) || attributes.resource === '') return `forbidden: ${text}`;
  const { group, resource, name } = attributes;
  const qualified = group ? `${resource}.${group}` : resource;
  return name ? `${qualified} "${name}" is forbidden: ${text}` : `${qualified} is forbidden: ${text}`;
}

/** Returns the 403 as a Status: `details` names the resource, or is empty for a path. */
export function forbiddenStatus(caller: Caller, attributes: Attributes, reason?: string): Status {
  if (!isResourceAttributes(attributes)) return forbiddenPathStatus(caller, attributes, reason);
  return failureStatus(403, 'Forbidden', forbiddenMessage(caller, attributes, reason), detailsOf(attributes));
}

function detailsOf({ name, group, resource }: ResourceAttributes): StatusDetails {
  return { ...(name && { name }), ...(group && { group }), ...(resource && { kind: resource }) };
}

function sentence(caller: Caller, attributes: Attributes): string {
  if (!isResourceAttributes(attributes)) return pathSentence(caller, attributes);
  const { resource, subresource, group, namespace } = attributes;
  const what = goQuote(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${goQuote(namespace)}` : 'at the cluster scope';
  return `User ${goQuote(caller.name)} cannot ${attributes.verb} resource ${what} in API group ${goQuote(group)} ${where}`;
}

export function refusedResponse(status: Status): ApiResponse {
  return statusResponse(status, { ...NOT_CACHED, ...NOSNIFF });
}
