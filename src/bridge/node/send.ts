import { systemClock } from '../../clock/clock.js';
import type { AbortCode } from '../../model/abort-code.js';
import { type ApiResponse, checkResponse, isBodiless, isStream } from '../../http/response.js';
import { isAbortError } from '../exchange/abort-reason.js';
import { failureResponse, isExpected, type Report } from '../exchange/failures.js';
import { STALL_TIMEOUT_MS, type BridgeOptions, type FailurePlace } from '../exchange/options.js';
import { drop, plainBodyOf, streamOf, withNoTransform } from '../exchange/response-body.js';
import { createStreamingResponses } from '../exchange/streaming-responses.js';
import type { Closing } from './closing.js';
import { discardBody, hasUnreadBody, isWorthDiscarding } from './discard.js';
import type { DeferredSignals } from './deferred-signals.js';
import { createFraming } from './framed-writer.js';
import { clearHead, createHeadWriter } from './head-writer.js';
import { http2Stream, tearDown } from './message.js';
import { createResponseBatcher } from './response-batcher.js';
import { createTransfers, isPending } from './transfers.js';
import { type PumpEnd, pump, SLICE_BYTES } from './pump.js';
import type { NodeExchange } from './node-exchange.js';

/** Larger responses are written to an HTTP/2 stream in several pieces. */
const LARGE_BYTES = 64 * 1024;

/** Writes responses and failures of one listener. Neither function throws. */
interface Sender {
  send(exchange: NodeExchange, response: ApiResponse): void;
  /** Responds with 500, or closes the connection once headers were sent, and reports unexpected errors. */
  fail(exchange: NodeExchange, error: unknown, where: FailurePlace): void;
  /** See `schedule` of the response batcher. */
  readonly scheduleResponses: () => void;
}

export function createSender(
  { clock = systemClock, signal: shutdown, stallTimeoutMs = STALL_TIMEOUT_MS }: BridgeOptions,
  closing: Closing,
  deferredSignals: DeferredSignals,
  report: Report,
): Sender {
  const transfers = createTransfers(clock, stallTimeoutMs);
  const streaming = createStreamingResponses(shutdown);
  const framing = createFraming();
  const writeHead = createHeadWriter(clock);
  const batcher = createResponseBatcher(
    (exchange, error) => fail(exchange, error, 'handler'),
    (exchange) => transfers.plain(exchange),
  );

  const send = (exchange: NodeExchange, response: ApiResponse): void => {
    try {
      checkResponse(response);
      if (exchange.gone || exchange.res.headersSent) return drop(exchange, response);
      const source = streamOf(exchange.method, response);
      if (source === undefined) sendPlain(exchange, response);
      else sendStream(exchange, response, source);
    } catch (error) {
      drop(exchange, response);
      fail(exchange, error, 'handler');
    }
  };

  const sendPlain = (exchange: NodeExchange, response: ApiResponse): void => {
    const { req, res, method } = exchange;
    if (isStream(response.body)) drop(exchange, response);
    const body = plainBodyOf(response);
    const unread = hasUnreadBody(req);
    const http1 = http2Stream(res) === undefined;
    if (unread && http1 && !isWorthDiscarding(req)) res.shouldKeepAlive = false;
    closing.beforeHead(exchange);
    writeHead(res, response, lengthOf(exchange, response, body));
    exchange.finish();

    const content = method === 'HEAD' || isBodiless(response.status) ? '' : (body ?? '');
    if (!http1 && content.length > LARGE_BYTES) {
      sendLarge(exchange, content, releaseOf(exchange, response));
    } else if (!unread || !http1) {
      batcher.end(exchange, content, releaseOf(exchange, response));
    } else if (content.length > 0) {
      // The response is written now and ended later: Node would close or stall a connection on which bytes of the
      // request are still to arrive.
      res.write(content);
    } else {
      res.flushHeaders?.();
    }
    if (!unread) return;
    discardBody(req, clock, (complete) => {
      if (http1) res.end();
      if (!complete) cutOff(exchange);
      else if (isPending(res)) transfers.plain(exchange);
    });
  };

  /** Returns `undefined` if middleware has replaced `end` or `write`, because it may retain the bytes. */
  const releaseOf = ({ res }: NodeExchange, { release }: ApiResponse): (() => void) | undefined => {
    if (release === undefined || Object.hasOwn(res, 'end') || Object.hasOwn(res, 'write')) return undefined;
    return () => {
      try {
        release();
      } catch (error) {
        report(error, 'handler');
      }
    };
  };

  /** Sends a large response over HTTP/2, in several pieces so that the client's progress is visible. */
  const sendLarge = (exchange: NodeExchange, content: string | Uint8Array, sent: (() => void) | undefined): void => {
    const { res } = exchange;
    res.on('error', () => undefined);
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const running = pump(inOnePiece(bytes.subarray(0, -SLICE_BYTES)), res, (end) => {
      if (end.failed) fail(exchange, end.error, 'handler');
      // With the last piece, so that no empty frame has to end the stream.
      else res.end(bytes.subarray(-SLICE_BYTES), sent);
    });
    transfers.plain(exchange, running);
  };

  const sendStream = (exchange: NodeExchange, response: ApiResponse, source: AsyncIterable<Uint8Array>): void => {
    const { req, res } = exchange;
    closing.beforeHead(exchange);
    const { status, headers } = response;
    // Without middleware the response is identical to that of kube-apiserver.
    const shared = exchange.hasNext || Object.hasOwn(res, 'write');
    writeHead(res, { status, headers: shared ? withNoTransform(headers) : headers }, undefined);
    res.flushHeaders?.();
    // A write to a client that has just disconnected emits an error here as well; `close` is handled.
    res.on('error', () => undefined);
    streaming.add(exchange);
    let ended = false;
    let signal: AbortSignal | undefined;
    const over = (): void => {
      ended = true;
      streaming.remove(exchange);
      signal?.removeEventListener('abort', onGiveUp);
    };
    const stop = (): void => {
      over();
      running.stop();
    };
    const giveUp = (code: AbortCode): void => {
      exchange.abort(code);
      stop();
    };
    const onGiveUp = (): void => {
      giveUp('response-abandoned');
      tearDown(res);
    };
    const onEnd = (end: PumpEnd): void => {
      over();
      endStream(exchange, response, end);
    };
    const running = pump(source, res, onEnd, framing);
    exchange.onClientLeft(stop);
    transfers.stream(exchange, running, () => giveUp('reader-stalled'));
    const subscribe = (): void => {
      if (ended) return;
      const { signal: given } = response;
      if (given?.aborted) onGiveUp();
      else given?.addEventListener('abort', onGiveUp);
      // Not before: what a handler gives may be no signal, and then there is no listener to remove.
      signal = given;
    };
    if ('signal' in response) deferredSignals.add({ subscribe });
    if (hasUnreadBody(req)) {
      discardBody(req, undefined, (complete) => {
        if (!complete) cutOff(exchange);
      });
    }
  };

  const endStream = (exchange: NodeExchange, response: ApiResponse, { failed, error: cause }: PumpEnd): void => {
    const stopped = failed && isAbortError(cause);
    try {
      // A part of a list must not end like the whole of it, even before the signal is subscribed to.
      if (stopped && response.signal?.aborted) {
        exchange.abort('response-abandoned');
        return tearDown(exchange.res);
      }
      if (failed && !(stopped && exchange.aborted)) return fail(exchange, cause, 'stream');
      exchange.finish();
      exchange.res.end();
    } catch (error) {
      // From an `end` that middleware has replaced.
      fail(exchange, error, 'stream');
    }
  };

  const fail = (exchange: NodeExchange, error: unknown, where: FailurePlace): void => {
    if (!isExpected(error, exchange)) report(error, where);
    try {
      if (exchange.gone) return;
      if (exchange.res.headersSent) tearDown(exchange.res);
      else {
        clearHead(exchange.res);
        sendPlain(exchange, failureResponse(error));
      }
    } catch {
      tearDown(exchange.res);
    }
  };

  return { send, fail, scheduleResponses: batcher.schedule };
}

function lengthOf(
  exchange: NodeExchange,
  response: ApiResponse,
  body: string | Uint8Array | null | undefined,
): number | undefined {
  if (body === undefined) return undefined;
  if (body === null) return exchange.method === 'HEAD' && 'content-length' in response.headers ? undefined : 0;
  return Buffer.byteLength(body);
}

/** Closes the connection of a client that keeps sending a body that nobody reads. */
function cutOff(exchange: NodeExchange): void {
  const stream = http2Stream(exchange.res);
  if (stream !== undefined)
    stream.close(0); // NO_ERROR: the response is complete, only the body is refused.
  else exchange.req.socket?.destroy();
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
