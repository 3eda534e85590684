import { goQuote } from '../json/go-quote.js';
import type { ApiResponse } from '../http/response.js';
import type { Caller } from '../model/caller.js';
import type { Status, StatusDetails, StatusReason } from '../model/status.js';
import type { PathAttributes } from './contract.js';

const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-cache, private',
  'content-type': 'application/json',
});

const FORBIDDEN_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...JSON_HEADERS,
  'x-content-type-options': 'nosniff',
});

/** A Status of a refusal, members in wire order. */
export function refusalStatus(code: number, reason: StatusReason, message: string, details?: StatusDetails): Status {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason } as const;
  return details === undefined ? { ...status, code } : { ...status, details, code };
}

const UNAUTHORIZED = Object.freeze(refusalStatus(401, 'Unauthorized', 'Unauthorized'));

const unauthorizedBody = `${JSON.stringify(UNAUTHORIZED)}\n`;

/** 401 as JSON. There is no `WWW-Authenticate` header: Kubernetes sends none. */
export function unauthorizedResponse(): ApiResponse {
  return { status: 401, headers: JSON_HEADERS, body: unauthorizedBody };
}

/** The 401 as a Status, for negotiated representations. */
export function unauthorizedStatus(): Status {
  return UNAUTHORIZED;
}

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
  return refusalStatus(403, 'Forbidden', message, {});
}

/** A 403, or another refusal before authorization, as JSON, with `X-Content-Type-Options: nosniff`. */
export function refusedResponse(status: Status): ApiResponse {
  return { status: status.code ?? 403, headers: FORBIDDEN_HEADERS, body: `${JSON.stringify(status)}\n` };
}
