import type { Clock } from '../../clock/clock.js';
import { announcesBody } from './body-reader.js';
import type { NodeIncoming } from './message.js';

const DISCARD_BYTES = 8 * 1024 * 1024;

/** What a piece counts at least: many small ones take Node longer than their bytes do. */
const PIECE_BYTES = 1024;

const DISCARD_MS = 5_000;

export function hasUnreadBody(req: NodeIncoming): boolean {
  return !req.complete && !req.readableEnded && !req.destroyed && announcesBody(req);
}

/** True if {@link discardBody} can reach the end, so that the connection can be reused. */
export function isWorthDiscarding(req: NodeIncoming): boolean {
  return Number(req.headers['content-length']) <= DISCARD_BYTES;
}

/**
 * Reads the rest of a body and discards it, up to 8 MiB and, with a clock, for 5 s: closing a socket while bytes arrive
 * resets it, and the client may get the reset before the response. Calls back once, with true at the end of the body.
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
  const onData = (chunk: unknown): void => {
    left -= Math.max((chunk as Uint8Array | string).length, PIECE_BYTES);
    if (left < 0) finish(false);
  };
  const onEnd = (): void => finish(true);
  const onGone = (): void => finish(false);
  const timer = clock?.setTimer(onGone, DISCARD_MS);
  req.on('end', onEnd);
  req.on('close', onGone);
  // Never removed: a broken connection may emit an error after everything else is finished.
  req.on('error', onGone);
  req.on('data', onData);
  req.resume();
}
