import { headerValues } from '../../http/headers.js';
import type { ApiRequest, RequestHeaders } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import type { JsonObject } from '../../json/json-tree.js';
import { byteLength } from '../../json/utf8.js';
import { untilAborted } from '../../clock/abortable.js';
import { callHook } from '../../observe/call-hook.js';
import { statusError } from '../contract/errors.js';
import type { CallOptions } from '../contract/events-client.js';
import type { Transport } from '../contract/transport.js';
import { warningTexts } from './response-headers.js';
import { from, readObject, refusal, type ReadOptions } from './read-response.js';
import { createDeadline, type Deadline } from './deadline.js';
import { groupHint } from './paths.js';
import { discard } from './read-body.js';
import { repeat, type MayRepeat, type RetryPolicy } from './repeat.js';

export interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** The media type of `json`. Default: application/json. */
  readonly contentType?: string | undefined;
}

/** The parts that all calls of a client share. */
export interface CallContext extends ReadOptions {
  readonly transport: Transport;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly onWarning: ((text: string) => void) | undefined;
}

/** How long calls take at most, and how often they are repeated, unless the client has options. */
export const DEFAULTS: Pick<CallContext, 'timeoutMs' | 'retry'> = {
  timeoutMs: 30_000,
  retry: { retries: 5, firstDelayMs: 100, longestDelayMs: 5_000 },
};

export async function withDeadline<T>(
  context: CallContext,
  limits: CallOptions,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = createDeadline(context.clock, limits.timeoutMs ?? context.timeoutMs, limits.signal, from(context));
  return work(deadline).finally(deadline.release);
}

/** Sends a request, again where `mayRepeat` allows it, and reads the object in the response. */
export function callObject(
  context: CallContext,
  request: ClientRequest,
  limits: CallOptions,
  mayRepeat: MayRepeat,
): Promise<JsonObject> {
  return withDeadline(context, limits, (deadline) =>
    repeat(context, deadline, mayRepeat, () => askObject(context, request, deadline.signal)),
  );
}

export async function askObject(
  context: CallContext,
  request: ClientRequest,
  signal: AbortSignal,
): Promise<JsonObject> {
  return readObject(context, await send(context, request, signal), signal);
}

/** Sends a request. The caller reads the body or releases it. @throws StatusError for a 404, but no other refusal */
export async function send(context: CallContext, request: ClientRequest, signal: AbortSignal): Promise<ApiResponse> {
  signal.throwIfAborted();
  const sent = Promise.resolve(context.transport(apiRequest(request, signal)));
  let response: ApiResponse | undefined;
  try {
    response = await untilAborted(sent, signal);
  } catch (error) {
    // A transport that does not heed the signal may still respond.
    sent.then(discard, () => undefined);
    throw error;
  }
  if (response === undefined) {
    const message = `the server could not find the requested resource${groupHint(request.url)}`;
    throw statusError({ message, reason: 'NotFound' }, 404);
  }
  warn(context, response);
  // Here, because only the request contains the group.
  if (response.status === 404) throw await refusal(context, response, signal, groupHint(request.url));
  return response;
}

function apiRequest(request: ClientRequest, signal: AbortSignal): ApiRequest {
  const { method, url, json, contentType = 'application/json' } = request;
  const headers: RequestHeaders = { accept: 'application/json', 'user-agent': 'kube-vitals' };
  if (json === undefined) return { method, url, headers, signal };
  const text = JSON.stringify(json);
  // A server in the same process would otherwise reserve memory for the largest body that it takes.
  const sent = { ...headers, 'content-type': contentType, 'content-length': String(byteLength(text)) };
  return { method, url, headers: sent, body: () => text, signal };
}

function warn({ onWarning }: CallContext, response: ApiResponse): void {
  if (onWarning === undefined) return;
  for (const text of warningTexts(headerValues(response, 'warning'))) void callHook(() => onWarning(text));
}
