import type { Dispatcher } from 'undici';
import { joinBytes } from '../../../http/bytes.js';
import { isBodiless, type ApiResponse, type ResponseHeaders } from '../../../http/response.js';
import { headersOverflow, requestFailure } from './failures.js';

/** Unread bytes beyond which the connection is paused, so that the server has to wait. */
const MAX_UNREAD_BYTES = 65_536;
/** Answers up to this size are handed over whole, when they are complete. */
const MAX_WHOLE_BYTES = 65_536;

/** A request as it goes onto the wire. */
export interface WireRequest {
  readonly origin: string;
  /** The host and port, for errors. */
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | undefined;
  /** The name that the server's certificate must be for. */
  readonly servername: string | undefined;
  /** The largest headers of the answer: of their names and values. */
  readonly maxHeaderBytes: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request. Rejects with the reason of its signal, a ConnectionError or a ResponseError; so does its streamed
 * body.
 */
export function exchange(dispatcher: Dispatcher, request: WireRequest): Promise<ApiResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const body = createBody(request, reject);
    let status = 0;
    let headers: ResponseHeaders = {};
    let pieces: Uint8Array[] | undefined;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        body.begin(controller);
      },
      onResponseStart(controller, code, received) {
        if (code < 200) return;
        // undici limits the headers of HTTP/1 only.
        if (headerBytes(received) > request.maxHeaderBytes) return controller.abort(headersOverflow());
        status = code;
        headers = received as ResponseHeaders;
        const length = isBodiless(code) || request.method === 'HEAD' ? '0' : headers['content-length'];
        if (typeof length === 'string' && Number(length) <= MAX_WHOLE_BYTES) pieces = [];
        else resolve({ status, headers, body: body.stream });
      },
      onResponseData(_controller, chunk) {
        if (pieces === undefined) body.add(chunk);
        else pieces.push(chunk);
      },
      onResponseEnd() {
        body.end();
        if (pieces !== undefined) resolve({ status, headers, body: pieces.length === 0 ? null : joinBytes(pieces) });
      },
      onResponseError(_controller, error) {
        body.fail(error);
      },
    };
    if (signal?.aborted) {
      body.abort();
      return;
    }
    signal?.addEventListener('abort', body.abort, { once: true });
    const { origin, method, path, headers: sent, body: content, servername } = request;
    dispatcher.dispatch(
      {
        origin,
        path,
        method,
        headers: sent as Record<string, string | string[]>,
        body: content ?? null,
        ...(servername !== undefined && { servername }),
      } as Dispatcher.DispatchOptions,
      handler,
    );
  });
}

/**
 * The body of an answer on its way from the connection to its reader. `reject` is told of failures before the answer
 * began.
 */
function createBody(request: WireRequest, reject: (error: Error) => void) {
  const { signal, host } = request;
  const unread: Uint8Array[] = [];
  let unreadBytes = 0;
  let controller: Dispatcher.DispatchController | undefined;
  let waiting: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: Error): void } | undefined;
  let sent = false;
  let ended = false;
  let failure: Error | undefined;

  const finish = (error?: Error): void => {
    if (ended) return;
    ended = true;
    failure = error;
    signal?.removeEventListener('abort', abort);
    if (error !== undefined) {
      unread.length = 0;
      reject(error);
      waiting?.reject(error);
    } else {
      waiting?.resolve({ done: true, value: undefined });
    }
    waiting = undefined;
  };
  const abort = (): void => {
    const reason = signal?.reason as Error;
    finish(reason);
    controller?.abort(asError(reason));
  };
  const next = (): Promise<IteratorResult<Uint8Array>> => {
    const value = unread.shift();
    if (value !== undefined) {
      unreadBytes -= value.byteLength;
      if (unreadBytes < MAX_UNREAD_BYTES && controller?.paused) controller.resume();
      return Promise.resolve({ done: false, value });
    }
    if (failure !== undefined) return Promise.reject(failure);
    if (ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, rejectNext) => {
      waiting = { resolve, reject: rejectNext };
    });
  };
  const leave = (): Promise<IteratorResult<Uint8Array>> => {
    unread.length = 0;
    if (!ended) {
      finish();
      controller?.abort(new Error('the rest of the answer is not wanted'));
    }
    return Promise.resolve({ done: true, value: undefined });
  };
  const stream: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next, return: leave }) };

  return {
    stream,
    abort,
    begin(given: Dispatcher.DispatchController): void {
      controller = given;
      // It was aborted while it waited for a connection.
      if (ended) given.abort(asError(failure));
      else sent = true;
    },
    add(chunk: Uint8Array): void {
      if (ended) return;
      if (waiting !== undefined) {
        waiting.resolve({ done: false, value: chunk });
        waiting = undefined;
        return;
      }
      unread.push(chunk);
      unreadBytes += chunk.byteLength;
      if (unreadBytes >= MAX_UNREAD_BYTES) controller?.pause();
    },
    end: (): void => finish(),
    fail: (error: unknown): void => finish(requestFailure(error, host, sent)),
  };
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error('the request was aborted', { cause: reason });

function headerBytes(headers: Readonly<Record<string, string | readonly string[] | undefined>>): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    for (const text of typeof value === 'string' ? [value] : (value ?? [])) bytes += name.length + text.length;
  }
  return bytes;
}
