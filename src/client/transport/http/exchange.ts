import type { Dispatcher } from 'undici';
import { onAbort } from '../../../clock/abortable.js';
import { keepProcessAlive } from '../../../clock/keep-process-alive.js';
import { CollectedBytes } from '../../../http/bytes.js';
import { headerValues } from '../../../http/headers.js';
import type { RequestHeaders } from '../../../http/request.js';
import { isBodiless, type ApiResponse, type ResponseHeaders } from '../../../http/response.js';
import { connectionError, responseError } from '../../contract/errors.js';
import { beginWait } from '../../contract/waits.js';

/** Unread bytes beyond which the connection is paused, so that the server has to wait. */
const MAX_UNREAD_BYTES = 65_536;
/** What an unread piece takes, besides its bytes: a server may send very small ones. */
const PIECE_BYTES = 128;
/** Responses up to this size are handed over whole, when they are complete. */
const MAX_WHOLE_BYTES = 65_536;

export interface ConnectedRequest extends Dispatcher.DispatchOptions {
  /** `end` is set by the connection that carries the request, if it needs to know whether the response was complete. */
  readonly connection: { end?(isComplete: boolean): void };
}

interface ExchangeOptions {
  readonly host: string;
  /** The largest headers of the response: of their names and values. */
  readonly maxHeaderBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Called when the request needs no connection any more. A call that is aborted while it connects ends before. */
  readonly onEnd: () => void;
}

/** Sends a request. It and the body reject with the signal's reason, a ConnectionError or a ResponseError. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { host, maxHeaderBytes, signal, onEnd }: ExchangeOptions,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const body = createBody(host, signal, reject);
    const connected: ConnectedRequest = { ...request, connection: {} };
    let status = 0;
    let headers: ResponseHeaders = {};
    let whole: CollectedBytes | undefined;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        body.begin(controller);
      },
      onResponseStart(controller, code, received) {
        if (code < 200) return;
        // undici limits the headers of HTTP/1 only.
        if (headerBytes(received) > maxHeaderBytes) return controller.abort(headersOverflow());
        status = code;
        headers = received as ResponseHeaders;
        const length = isBodiless(code) || request.method === 'HEAD' ? '0' : headers['content-length'];
        if (typeof length === 'string' && Number(length) <= MAX_WHOLE_BYTES) whole = new CollectedBytes();
        else resolve({ status, headers, body: body.stream });
      },
      onResponseData(_controller, chunk) {
        if (whole === undefined) body.add(chunk);
        else whole.add(chunk);
      },
      onResponseEnd() {
        connected.connection.end?.(true);
        onEnd();
        body.end();
        if (whole !== undefined) resolve({ status, headers, body: whole.length === 0 ? null : whole.joined() });
      },
      onResponseError(_controller, error) {
        connected.connection.end?.(false);
        onEnd();
        body.fail(error);
      },
    };
    dispatcher.dispatch(connected, handler);
  });
}

/** The body of a response between its connection and its reader. `reject` is for failures before the response began. */
function createBody(host: string, signal: AbortSignal | undefined, reject: (error: Error) => void) {
  const unread: Uint8Array[] = [];
  let unreadBytes = 0;
  let controller: Dispatcher.DispatchController | undefined;
  let waiting: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: Error): void } | undefined;
  let sent = false;
  let ended = false;
  let failure: Error | undefined;
  let unlisten = (): void => undefined;
  const waits = [beginWait(signal, `${host} is not reached yet`), keepProcessAlive()];
  const endWaits = (): void => waits.forEach((end) => end());

  const finish = (error?: Error): void => {
    if (ended) return;
    ended = true;
    failure = error;
    unlisten();
    endWaits();
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
      unreadBytes -= value.byteLength + PIECE_BYTES;
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
      controller?.abort(new Error('the rest of the response is not needed'));
    }
    return Promise.resolve({ done: true, value: undefined });
  };
  unlisten = onAbort(signal, abort);
  const stream: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next, return: leave }) };

  return {
    stream,
    begin(given: Dispatcher.DispatchController): void {
      controller = given;
      endWaits();
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
      unreadBytes += chunk.byteLength + PIECE_BYTES;
      if (unreadBytes >= MAX_UNREAD_BYTES) controller?.pause();
    },
    end: (): void => finish(),
    fail: (error: unknown): void => finish(requestFailure(error, host, sent)),
  };
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error('the request was aborted', { cause: reason });

function headerBytes(headers: RequestHeaders): number {
  let bytes = 0;
  for (const name of Object.keys(headers)) {
    for (const text of headerValues({ headers }, name)) bytes += name.length + text.length;
  }
  return bytes;
}

const HEADERS_OVERFLOW = 'UND_ERR_HEADERS_OVERFLOW';

/** The error with which undici reports headers over HTTP/1 that are too large. */
const headersOverflow = (): Error => Object.assign(new Error('Headers Overflow Error'), { code: HEADERS_OVERFLOW });

/** True for responses that are not HTTP. The parser also fails where the connection ends early. */
const isNotHttp = (error: unknown): boolean =>
  codeOf(error) === HEADERS_OVERFLOW ||
  (error instanceof Error && error.name === 'HTTPParserError' && !error.message.includes('EOF'));

/** The error of a request, with its address and nothing else: headers are secret. `sent`: some of it was written. */
function requestFailure(error: unknown, host: string, sent: boolean): Error {
  const reason = reasonOf(error);
  if (isNotHttp(error)) return responseError(`${host} did not respond with HTTP: ${reason}`, 0, error);
  if (!sent) return connectionError(`${host} was not reached: ${reason}`, false, error);
  // RFC 9113, 8.7: such a request may be sent again. A server does this while it shuts down, for example.
  if (reason.endsWith('NGHTTP2_REFUSED_STREAM'))
    return connectionError(`${host} refused the request before it processed it`, false, error);
  return connectionError(`the connection to ${host} was lost: ${reason}`, true, error);
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** The codes of what OpenSSL reads where a server responds without TLS. */
const WITHOUT_TLS: ReadonlySet<string> = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

interface Failure {
  readonly message?: unknown;
  /** An attempt at several addresses fails with an error for each, and without a message. */
  readonly errors?: readonly unknown[];
  /** What an error of OpenSSL is about. Its message also has a thread and a line of its source. */
  readonly reason?: unknown;
}

function reasonOf(error: unknown): string {
  const { message, errors, reason } = (error ?? {}) as Failure;
  if (WITHOUT_TLS.has(codeOf(error))) return 'it does not speak TLS';
  if (codeOf(error).startsWith('ERR_SSL_') && typeof reason === 'string') return `TLS failed: ${reason}`;
  if (typeof message === 'string' && message !== '') return message;
  return errors?.[0] === undefined ? codeOf(error) || 'no reason is known' : reasonOf(errors[0]);
}
