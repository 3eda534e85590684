import { isBytes } from '../../http/bytes.js';
import { releaseIterator } from '../release.js';
import type { NodeOutgoing } from './message.js';

/** A body on its way to the client. */
export interface Pump {
  /** The client is gone: asks for nothing more and lets the source go. Not told to `done`. */
  stop(): void;
}

/** How a body ended. */
export interface PumpEnd {
  /** Absent when the source ended by itself. */
  readonly error?: unknown;
  readonly failed: boolean;
}

/**
 * Writes the chunks of a source one by one: the next is asked for when Node has let go of the last, so that the source
 * may reuse its buffer and a client that reads slowly holds one chunk. A loop of callbacks, not `for await`: a source
 * that is parked in `next()` cannot be left from inside a loop, and a race of promises for each chunk would leak.
 */
export function pump(source: AsyncIterable<Uint8Array>, res: NodeOutgoing, done: (end: PumpEnd) => void): Pump {
  const write = writerFor(res);
  let iterator: AsyncIterator<Uint8Array> | undefined;
  let over = false;

  const finish = (end: PumpEnd): void => {
    if (over) return;
    over = true;
    done(end);
  };
  const fail = (error: unknown): void => finish({ failed: true, error });
  const stop = (): void => {
    if (over) return;
    over = true;
    releaseIterator(iterator);
  };
  const next = (): void => {
    if (over) return;
    try {
      (iterator as AsyncIterator<Uint8Array>).next().then(received, fail);
    } catch (error) {
      fail(error);
    }
  };
  const written = (error?: Error | null): void => {
    // A write that failed is a client that left: the close that follows says so.
    if (error === undefined || error === null) next();
    else stop();
  };
  const received = (result: IteratorResult<Uint8Array, unknown>): void => {
    if (over) return;
    if (result.done === true) {
      finish({ failed: false });
    } else if (!isBytes(result.value)) {
      releaseIterator(iterator);
      fail(new TypeError('a streamed body must give Uint8Array chunks'));
    } else if (result.value.byteLength === 0) {
      next();
    } else {
      try {
        write(result.value, written);
      } catch (error) {
        releaseIterator(iterator);
        fail(error);
      }
    }
  };

  try {
    iterator = source[Symbol.asyncIterator]();
  } catch (error) {
    fail(error);
  }
  next();
  return { stop };
}

type Writer = (chunk: Uint8Array, written: (error?: Error | null) => void) => void;

/**
 * Middleware that compresses or buffers replaces `write` by its own, which drops the callback and keeps the chunk. Such a
 * response gets copies, is asked to flush, and is waited for by `drain`.
 */
function writerFor(res: NodeOutgoing): Writer {
  if (!Object.hasOwn(res, 'write')) return (chunk, written) => void res.write(chunk, written);
  return (chunk, written) => {
    const ready = res.write(Buffer.from(chunk));
    (res as { flush?: () => void }).flush?.();
    if (ready) setImmediate(written);
    else res.once('drain', () => written());
  };
}
