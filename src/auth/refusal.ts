import { goQuote } from '../json/go-print.js';
import type { ApiResponse } from '../http/response.js';
import type { Caller } from '../model/caller.js';
import type { Status } from '../model/status.js';
import { failureStatus } from '../responses/failure-status.js';
import { NOSNIFF, NOT_CACHED, statusResponse } from '../responses/fixed-responses.js';
import type { PathAttributes } from './contract.js';

/** The sentence of a 403 about a path, before it is escaped. */
export function pathSentence(caller: Caller, { verb, path }: PathAttributes): string {
  return `User ${goQuote(caller.name)} cannot ${verb} path ${goQuote(path)}`;
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A sentence followed by the authorizer's reason. The sentence is HTML-escaped (`&`, `<`, `>`), as kube-apiserver does. */
export function escapedSentence(sentence: string, reason: string | undefined): string {
  const escaped = sentence.replace(/[&<>]/g, (character) => HTML[character] ?? character);
  return reason ? `${escaped}: ${reason}` : escaped;
}

/** The 403 for a path as a Status. `resource-refusal.ts` has the one for everything else. */
export function forbiddenPathStatus(caller: Caller, attributes: PathAttributes, reason?: string): Status {
  const message = `forbidden: ${escapedSentence(pathSentence(caller, attributes), reason)}`;
  return failureStatus(403, 'Forbidden', message, {});
}

/** A 403, or another refusal before authorization, as JSON, with `X-Content-Type-Options: nosniff`. */
export function refusedResponse(status: Status): ApiResponse {
  return statusResponse(status, { ...NOT_CACHED, ...NOSNIFF });
}
