import { bodyAborted, bodyTooLarge, bodyBytes } from '../../http/body.js';
import { CollectedBytes, isBytes } from '../../http/bytes.js';
import type { BodyCall } from '../../http/request.js';
import type { BodyReading } from '../exchange/body-reading.js';
import type { BodyBatcher } from './body-batcher.js';
import { type NodeIncoming, type NodeOutgoing, http2Stream, isGone } from './message.js';

/** True when the headers announce a body, empty or not. */
export function announcesBody(req: NodeIncoming): boolean {
  const stream = http2Stream(req);
  if (stream !== undefined) return !stream.endAfterHeaders;
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0);
}

/**
 * Reads the body: the stream, or the result of a body parser. A stopped reading leaves the stream for `discardBody`.
 *
 * @throws BodyError beyond the limit, when the client leaves, or when the reading is stopped; TypeError when something
 * else has read the stream and set neither `rawBody` nor `body`
 */
export function readIncoming(
  req: NodeIncoming,
  res: NodeOutgoing,
  limit: number,
  reading: BodyReading,
  bodies: BodyBatcher,
  call?: BodyCall,
): Promise<Uint8Array> {
  if (!announcesBody(req)) return Promise.resolve(new Uint8Array(0));
  // Some parsers set `{}` where they read nothing: `req.body` counts only when the stream has been read.
  const unread = req.readableDidRead !== true && !req.readableEnded;
  if (isUnparsed(req.rawBody) || !unread) return bytesOfParser(req, res, limit);
  if (Number(req.headers['content-length']) > limit) return Promise.reject(bodyTooLarge(limit));
  if (req.destroyed) return Promise.reject(bodyAborted());

  return new Promise((resolve, reject) => {
    const body = new CollectedBytes();
    // The socket of HTTP/2 cannot be paused.
    const socket = http2Stream(req) === undefined ? req.socket : null;
    const finish = (): void => {
      reading.finish();
      req.removeListener('data', onData);
      req.removeListener('end', onEnd);
      req.removeListener('error', onGone);
      req.removeListener('close', onGone);
      res.removeListener('close', onGone);
    };
    const stop = (error: unknown): void => {
      finish();
      req.pause();
      reject(error as Error);
    };
    const onData = (chunk: unknown): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array);
      if (body.length + bytes.byteLength > limit) stop(bodyTooLarge(limit));
      else {
        body.add(bytes);
        if (socket !== null) bodies.onPiece(socket);
      }
    };
    const onEnd = (): void => {
      finish();
      bodies.add(resolve, body.joined());
    };
    const onGone = (cause?: unknown): void => {
      finish();
      // Bun emits the error after the `close` of the response, and nobody may listen by then.
      req.on('error', ignoreError);
      reject(bodyAborted(cause));
    };
    reading.begin(stop, call);
    req.on('end', onEnd);
    req.on('error', onGone);
    req.on('close', onGone);
    // Node emits no `close` for a request whose response has been sent.
    res.on('close', onGone);
    req.on('data', onData);
  });
}

function isUnparsed(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || isBytes(body);
}

const ignoreError = (): void => undefined;

async function bytesOfParser(req: NodeIncoming, res: NodeOutgoing, limit: number): Promise<Uint8Array> {
  // Node ends the body of an HTTP/2 stream that the client has reset.
  if (isGone(req, res)) throw bodyAborted();
  const body = isUnparsed(req.rawBody) ? req.rawBody : req.body;
  if (body === undefined) {
    throw new TypeError(
      'something has read the request body already: mount the listener before the body parser (Fastify: kube-vitals/fastify, ' +
        'Nest: kube-vitals/nest), or let it leave req.rawBody or req.body',
    );
  }
  try {
    return bodyBytes(isUnparsed(body) ? body : (JSON.stringify(body) ?? ''), limit);
  } catch (error) {
    // JSON.parse accepts deeper nesting than JSON.stringify.
    if (error instanceof RangeError) throw bodyTooLarge(limit);
    throw error;
  }
}
