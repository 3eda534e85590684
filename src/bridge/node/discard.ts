import type { Clock } from '../../clock/clock.js';
import { announcesBody } from './body-reader.js';
import type { NodeIncoming } from './message.js';

/** Bytes of an unwanted body that are read and thrown away after the answer, to let the client read the answer. */
const DISCARD_BYTES = 8 * 1024 * 1024;

/** How long that may take. */
const DISCARD_MS = 5_000;

/** True when body bytes of this request are still to come or to be read. */
export function hasUnreadBody(req: NodeIncoming): boolean {
  return !req.complete && !req.readableEnded && !req.destroyed && announcesBody(req);
}

/** True when {@link discardBody} can be expected to reach the end, so that the connection stays of use. */
export function isWorthDiscarding(req: NodeIncoming): boolean {
  return Number(req.headers['content-length']) <= DISCARD_BYTES;
}

/**
 * Reads the rest of a body and throws it away, up to a number of bytes and, with a clock, for a time. A socket that is
 * closed while bytes arrive is reset, and the reset can overtake the answer: the server has to keep reading after a refusal.
 * Calls back once: true at the end of the body, false when it gave up or the client left.
 */
export function discardBody(req: NodeIncoming, clock: Clock | undefined, done: (complete: boolean) => void): void {
  let left = DISCARD_BYTES;
  let over = false;
  const finish = (complete: boolean): void => {
    if (over) return;
    over = true;
    timer?.cancel();
    req.removeListener('data', onData);
    req.removeListener('end', onEnd);
    req.removeListener('close', onGone);
    if (!complete) req.pause();
    done(complete);
  };
  const onData = (chunk: Uint8Array | string): void => {
    left -= chunk.length;
    if (left < 0) finish(false);
  };
  const onEnd = (): void => finish(true);
  const onGone = (): void => finish(false);
  const timer = clock?.setTimer(onGone, DISCARD_MS);
  req.on('end', onEnd);
  req.on('close', onGone);
  // Stays: a broken connection may report an error after everything else is finished.
  req.on('error', onGone);
  req.on('data', onData);
  req.resume();
}
