import { bodyTooLarge } from '../http/body.js';
import { isBytes } from '../http/bytes.js';
import type { ApiHandler } from '../http/handler.js';
import type { ApiRequest, PeerCertificate } from '../http/request.js';
import { optionFaults, throwFaults, type OptionRules } from '../options/check-options.js';
import { aFunction, anAbortSignal, aString, mustBe, required } from '../options/rules.js';
import { isStream, type ApiResponse, type ResponseHeaders } from '../http/response.js';
import { notFoundText } from '../responses/fixed-responses.js';

/** What {@link call} sends besides method and path. */
export interface CallOptions {
  /** Sent as `Authorization: Bearer <token>`. */
  readonly token?: string | undefined;
  /** A body that is sent as JSON, with `Content-Type: application/json` unless `headers` contains another one. */
  readonly json?: unknown;
  /** A body that is sent as it is. Not together with `json`. */
  readonly body?: string | Uint8Array | undefined;
  /** The case of their names does not matter. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Aborting it disconnects the client. */
  readonly signal?: AbortSignal | undefined;
  /** The address of the client. Default: none. */
  readonly remoteAddress?: string | undefined;
  /** The verified certificate of the client. Default: none. */
  readonly peerCertificate?: PeerCertificate | undefined;
}

/** The response to {@link call}. */
export interface CallResult {
  /** False when the handler does not serve the path; the other members are then those of a text 404. */
  readonly claimed: boolean;
  /** The status code; 404 where nobody claimed the path. */
  readonly status: number;
  /** The headers of the response, with names in lower case. */
  readonly headers: ResponseHeaders;
  /** The whole body as text. Of a watch: resolves when the stream has ended. */
  text(): Promise<string>;
  /** The whole body, parsed. */
  json<T = unknown>(): Promise<T>;
  /**
   * The lines of a streamed body, each parsed as JSON, as they arrive. Leaving the loop disconnects the client: the
   * request's signal aborts. A body can be read in one way only.
   */
  frames<T = unknown>(): AsyncGenerator<T, void, undefined>;
}

const TARGET = /^([A-Z]+) (\S+)$/;

const aTarget = /* @__PURE__ */ mustBe(
  (value) => typeof value === 'string' && TARGET.test(value),
  'method and path such as "GET /readyz?verbose"',
);

const anObjectOfValues = /* @__PURE__ */ mustBe((value) => typeof value === 'object' && value !== null, 'an object');

const rules = (): OptionRules<CallOptions> => ({
  token: aString,
  json: () => [],
  body: mustBe((value) => typeof value === 'string' || isBytes(value), 'a string or a Uint8Array'),
  headers: anObjectOfValues,
  signal: anAbortSignal,
  remoteAddress: aString,
  peerCertificate: anObjectOfValues,
});

/**
 * Calls a handler without a socket: `await call(events.handle, 'GET /apis/…', { token })`. What the handler throws
 * rejects the promise.
 *
 * @param target Upper-case method, one space, path and query.
 * @throws TypeError (as a rejection) that lists every fault of the arguments; `json` and `body` exclude each other.
 */
export async function call(handler: ApiHandler, target: string, options: CallOptions = {}): Promise<CallResult> {
  throwFaults('call', [
    ...required(aFunction)(handler, 'the handler'),
    ...required(aTarget)(target, 'the target'),
    ...optionFaults(options, rules(), ({ json, body }) => [
      json !== undefined && body !== undefined && 'json and body exclude each other',
    ]),
  ]);
  const [, method = '', url = ''] = TARGET.exec(target) ?? [];
  const leave = new AbortController();
  const signal = options.signal === undefined ? leave.signal : AbortSignal.any([options.signal, leave.signal]);
  const response = await handler(requestOf(method, url, options, signal));
  return resultOf(response ?? notFoundText(), response !== undefined, leave);
}

function readOnce(bytes: Uint8Array): (limit: number) => Uint8Array {
  let reads = 0;
  return (limit) => {
    if (++reads > 1) throw new Error('the handler read the request body twice');
    if (bytes.byteLength > limit) throw bodyTooLarge(limit);
    return bytes;
  };
}

function requestOf(method: string, url: string, options: CallOptions, signal: AbortSignal): ApiRequest {
  const { token, json, headers = {}, remoteAddress, peerCertificate } = options;
  const content = json === undefined ? options.body : JSON.stringify(json);
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    method,
    url,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(bytes === undefined ? {} : { 'content-length': String(bytes.byteLength) }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    },
    signal,
    remoteAddress,
    peerCertificate,
    ...(bytes === undefined ? {} : { body: readOnce(bytes) }),
  };
}

function resultOf(response: ApiResponse, claimed: boolean, leave: AbortController): CallResult {
  let whole: Promise<string> | undefined;
  const text = (): Promise<string> => (whole ??= gather(response.body));
  return {
    claimed,
    status: response.status,
    headers: response.headers,
    text,
    async json<T>(): Promise<T> {
      return JSON.parse(await text()) as T;
    },
    async *frames<T>(): AsyncGenerator<T, void, undefined> {
      let ended = false;
      try {
        for await (const line of lines(response.body)) yield JSON.parse(line) as T;
        ended = true;
      } finally {
        if (!ended) leave.abort();
      }
    },
  };
}

async function gather(body: ApiResponse['body']): Promise<string> {
  let text = '';
  for await (const part of decoded(body)) text += part;
  return text;
}

async function* lines(body: ApiResponse['body']): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const part of decoded(body)) {
    const whole = (rest + part).split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}

async function* decoded(body: ApiResponse['body']): AsyncGenerator<string, void, undefined> {
  if (body === null) return;
  if (typeof body === 'string') return yield body;
  const decoder = new TextDecoder();
  for await (const chunk of isStream(body) ? body : [body]) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
