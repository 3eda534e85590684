import process from 'node:process';
import { atNextTurn, type Clock } from '../../clock/clock.js';
import type { NodeSocket } from './message.js';

/** Pieces take about a microsecond each, and Node reads 2 MiB of one connection, 350,000 of one byte, in one turn. */
const PIECES = 1024;

/** Milliseconds in one turn: their handlers would otherwise all work in it. */
const SLICE_MS = 5;

/** Stored when loaded, because a test may replace it. */
const { nextTick } = process;

export type BodyBatcher = ReturnType<typeof createBodyBatcher>;

interface Arrived {
  readonly take: (bytes: Uint8Array) => void;
  readonly bytes: Uint8Array;
}

/**
 * Hands over the bodies of one turn after the last socket was read: alternating evicts the code of both from the
 * processor's caches. Creates take 10 to 20 % less CPU.
 *
 * @param scheduled is called when a handover has been scheduled
 */
export function createBodyBatcher(clock: Clock, scheduled: () => void) {
  const waiting: Arrived[] = [];
  let until = 0;
  /** In this turn. */
  let pieces = 0;
  const paused = new Set<NodeSocket>();
  const followed = new WeakSet<NodeSocket>();

  const resumeOne = (): void => {
    pieces = 0;
    const [socket] = paused;
    if (socket === undefined) return;
    paused.delete(socket);
    socket.resume?.();
    if (paused.size > 0) atNextTurn(resumeOne);
  };

  const begin = (): void => {
    atNextTurn(() => {
      pieces = 0;
      until = clock.monotonic() + SLICE_MS;
      handOver();
    });
    scheduled();
  };
  const handOver = (): void => {
    if (clock.monotonic() >= until) return begin();
    const { take, bytes } = waiting.shift() as Arrived;
    // After all that the handler of this one does at once.
    if (waiting.length > 0) void Promise.resolve().then(() => nextTick(handOver));
    take(bytes);
  };
  return {
    add(take: Arrived['take'], bytes: Uint8Array): void {
      if (waiting.push({ take, bytes }) === 1) begin();
    },

    /** To be called with each piece of a body over HTTP/1.1. A connection whose body is in many has to take turns. */
    onPiece(socket: NodeSocket): void {
      if (++pieces < PIECES || paused.has(socket)) return;
      paused.add(socket);
      socket.pause?.();
      if (paused.size === 1) atNextTurn(resumeOne);
      if (followed.has(socket)) return;
      followed.add(socket);
      // Node resumes the socket when it reads on from the body.
      socket.on?.('resume', () => {
        if (paused.has(socket)) socket.pause?.();
      });
    },
  };
}
