import type { Clock } from '../../clock/clock.js';
import type { ApiResponse } from '../../http/response.js';
import { checkResponse, isBodiless, isStream } from '../../http/response-shape.js';
import type { AbortReason } from '../abort-reason.js';
import { abortReason, isAbortError } from '../abort-reason.js';
import { failureOf } from '../failure.js';
import type { FailurePlace } from '../options.js';
import { releaseSource } from '../release.js';
import type { Closing } from './closing.js';
import { discardBody, hasUnreadBody, isWorthDiscarding } from './discard.js';
import { writeHead } from './head.js';
import type { LateSignals } from './late-signals.js';
import { http2Stream, tearDown } from './message.js';
import { createResponseBatcher } from './response-batcher.js';
import { isPending, type Outflows } from './outflow.js';
import type { PumpEnd } from './pump.js';
import { pump } from './pump.js';
import type { NodeExchange } from './request.js';

/** Answers in one piece that are larger go to a stream of HTTP/2 in pieces. */
const LARGE_BYTES = 64 * 1024;

/** Writes answers and failures of one listener. Neither function throws. */
export interface Sender {
  send(exchange: NodeExchange, response: ApiResponse): void;
  /** Answers 500 while that is possible, breaks the connection off when it is not, and reports what was not expected. */
  fail(exchange: NodeExchange, error: unknown, where: FailurePlace): void;
}

/** What a {@link Sender} works with. */
export interface SenderParts {
  readonly clock: Clock;
  readonly outflows: Outflows;
  readonly closing: Closing;
  readonly lateSignals: LateSignals;
  report(error: unknown, where: FailurePlace): void;
}

/** Makes the {@link Sender} of a listener. */
export function createSender({ clock, outflows, closing, lateSignals, report }: SenderParts): Sender {
  const unwanted: AbortReason = abortReason('body-unwanted');
  const stalled: AbortReason = abortReason('reader-stalled');
  const givenUp: AbortReason = abortReason('answer-given-up');
  const batcher = createResponseBatcher(
    (exchange, error) => fail(exchange, error, 'handler'),
    (exchange) => outflows.plain(exchange),
  );

  const send = (exchange: NodeExchange, response: ApiResponse): void => {
    try {
      checkResponse(response);
      if (exchange.gone || exchange.res.headersSent) drop(exchange, response);
      else if (!isStream(response.body)) sendPlain(exchange, response, response.body);
      else if (exchange.method === 'HEAD' || isBodiless(response.status)) sendPlain(exchange, response, undefined);
      else sendStream(exchange, response, response.body);
    } catch (error) {
      drop(exchange, response);
      fail(exchange, error, 'handler');
    }
  };

  /** Ends the source of a body that is not going to be sent. */
  const drop = (exchange: NodeExchange, response: ApiResponse): void => {
    // Answers that failed their check come here too: they may be anything.
    const body = (response as ApiResponse | null)?.body ?? null;
    if (!isStream(body)) return;
    exchange.abort(unwanted);
    releaseSource(body);
  };

  /** `undefined` stands for a stream that is not sent, of unknown length. */
  const sendPlain = (
    exchange: NodeExchange,
    response: ApiResponse,
    body: string | Uint8Array | null | undefined,
  ): void => {
    const { req, res, method } = exchange;
    drop(exchange, response);
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
      // The whole answer goes out now, its end waits: Node would close or stall a connection with bytes still to come.
      res.write(content);
    } else {
      res.flushHeaders?.();
    }
    if (!unread) return;
    discardBody(req, clock, (complete) => {
      if (http1) res.end();
      if (!complete) cutOff(exchange);
      else if (isPending(res)) outflows.plain(exchange);
    });
  };

  /** A large answer in one piece over HTTP/2: in pieces, so that one sees the client take them. */
  const sendLarge = (exchange: NodeExchange, content: string | Uint8Array, sent: (() => void) | undefined): void => {
    const { res } = exchange;
    res.on('error', () => undefined);
    const running = pump(inOnePiece(content), res, (end) => {
      if (end.failed) fail(exchange, end.error, 'handler');
      else if (sent === undefined) res.end();
      else res.end('', sent);
    });
    outflows.plain(exchange, running);
  };

  const sendStream = (exchange: NodeExchange, response: ApiResponse, source: AsyncIterable<Uint8Array>): void => {
    const { req, res } = exchange;
    closing.beforeHead(exchange);
    writeHead(res, response, undefined);
    res.flushHeaders?.();
    // A write that races with the client's leaving reports it here as well; the close is what counts.
    res.on('error', () => undefined);
    closing.onStreamStart(exchange);
    let ended = false;
    let signal: AbortSignal | undefined;
    const over = (): void => {
      ended = true;
      closing.onStreamEnd(exchange);
      signal?.removeEventListener('abort', onGiveUp);
    };
    const stop = (): void => {
      over();
      running.stop();
    };
    const giveUp = (reason: AbortReason): void => {
      exchange.abort(reason);
      stop();
    };
    const onGiveUp = (): void => {
      giveUp(givenUp);
      tearDown(res);
    };
    const running = pump(source, res, (end) => {
      over();
      endStream(exchange, end);
    });
    exchange.onClientLeft(stop);
    outflows.stream(exchange, running, () => giveUp(stalled));
    const follow = (): void => {
      if (ended) return;
      signal = response.signal;
      if (signal?.aborted) onGiveUp();
      else signal?.addEventListener('abort', onGiveUp);
    };
    if ('signal' in response) lateSignals.add({ follow });
    if (hasUnreadBody(req)) {
      discardBody(req, undefined, (complete) => {
        if (!complete) cutOff(exchange);
      });
    }
  };

  const endStream = (exchange: NodeExchange, end: PumpEnd): void => {
    if (end.failed && !(exchange.aborted && isAbortError(end.error))) {
      fail(exchange, end.error, 'stream');
      return;
    }
    try {
      exchange.finish();
      exchange.res.end();
    } catch (error) {
      // A middleware's own `end`. Whoever told the last step goes on to others.
      fail(exchange, error, 'stream');
    }
  };

  const fail = (exchange: NodeExchange, error: unknown, where: FailurePlace): void => {
    const { response, expected } = failureOf(error);
    // What a handler throws because its signal was aborted is no failure.
    if (!expected && !(exchange.aborted && isAbortError(error))) report(error, where);
    try {
      if (exchange.gone) return;
      if (exchange.res.headersSent) tearDown(exchange.res);
      else sendPlain(exchange, response, response.body as string);
    } catch {
      tearDown(exchange.res);
    }
  };

  return { send, fail };
}

/** What to call when the body was sent. Middleware that took over `end` or `write` may keep the bytes. */
function releaseOf({ res }: NodeExchange, { release }: ApiResponse): (() => void) | undefined {
  if (release === undefined || Object.hasOwn(res, 'end') || Object.hasOwn(res, 'write')) return undefined;
  return () => release();
}

function lengthOf(
  exchange: NodeExchange,
  response: ApiResponse,
  body: string | Uint8Array | null | undefined,
): number | undefined {
  if (body === undefined) return undefined;
  if (body === null) return exchange.method === 'HEAD' && 'content-length' in response.headers ? undefined : 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

/** Ends the connection of a client that keeps sending a body that is not read. */
function cutOff(exchange: NodeExchange): void {
  const stream = http2Stream(exchange.res);
  if (stream !== undefined)
    stream.close(0); // NO_ERROR: the answer is complete, only the body is refused.
  else exchange.req.socket?.destroy();
}

async function* inOnePiece(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(typeof content === 'string' ? Buffer.from(content) : content);
}
