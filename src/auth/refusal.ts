import { goQuote } from '../json/go-print.js';
import type { ApiResponse } from '../http/response.js';
import type { Caller } from '../model/caller.js';
import type { Status } from '../model/status.js';
import { failureStatus } from '../responses/failure-status.js';
import { detailsOf, named, qualified } from '../responses/group-resource.js';
import { NOSNIFF, NOT_CACHED, statusResponse } from '../responses/fixed-responses.js';
import type { Attributes, PathAttributes, ResourceAttributes } from './contract.js';

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns a sentence followed by the authorizer's reason. As in kube-apiserver, only the sentence is HTML-escaped. */
function escapedSentence(sentence: string, reason: string | undefined): string {
  const escaped = sentence.replace(/[&<>]/g, (character) => HTML[character] ?? character);
  return reason ? `${escaped}: ${reason}` : escaped;
}

export function forbiddenPathStatus(caller: Caller, { verb, path }: PathAttributes, reason?: string): Status {
  const sentence = `User ${goQuote(caller.name)} cannot ${verb} path ${goQuote(path)}`;
  return failureStatus(403, 'Forbidden', `forbidden: ${escapedSentence(sentence, reason)}`, {});
}

export function isResourceAttributes(attributes: Attributes): attributes is ResourceAttributes {
  return 'resource' in attributes;
}

/** The 403 in Kubernetes' words, in which the reason is not escaped, and the name only quoted. `details` is empty for a path. */
export function forbiddenStatus(caller: Caller, attributes: Attributes, reason?: string): Status {
  if (!isResourceAttributes(attributes)) return forbiddenPathStatus(caller, attributes, reason);
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const what = goQuote(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${goQuote(namespace)}` : 'at the cluster scope';
  const sentence = `User ${goQuote(caller.name)} cannot ${verb} resource ${what} in API group ${goQuote(group)} ${where}`;
  const subject = name ? named(attributes, name) : qualified(attributes);
  const message = `${resource ? `${subject} is forbidden` : 'forbidden'}: ${escapedSentence(sentence, reason)}`;
  return failureStatus(403, 'Forbidden', message, detailsOf(attributes, name));
}

export function refusedResponse(status: Status): ApiResponse {
  return statusResponse(status, { ...NOT_CACHED, ...NOSNIFF });
}
