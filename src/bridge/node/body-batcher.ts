import { atNextTurn } from '../../clock/clock.js';
import type { NodeSocket } from '../exchange/node-socket.js';

/** Pieces take about a microsecond each, and Node reads 2 MiB of one connection, 350,000 of one byte, in one turn. */
const PIECES = 1024;

export type BodyBatcher = ReturnType<typeof createBodyBatcher>;

interface Arrived {
  readonly take: (bytes: Uint8Array) => void;
  readonly bytes: Uint8Array;
}

/**
 * Hands over the bodies of one turn after the last socket was read: alternating evicts the code of both from the
 * processor's caches. Creates take 10 to 20 % less CPU. The handlers limit their time in a turn.
 *
 * @param scheduled is called when a handover has been scheduled
 */
export function createBodyBatcher(scheduled: () => void) {
  let waiting: Arrived[] = [];
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

  const handOver = (): void => {
    const arrived = waiting;
    waiting = [];
    pieces = 0;
    for (const { take, bytes } of arrived) take(bytes);
  };
  return {
    add(take: Arrived['take'], bytes: Uint8Array): void {
      if (waiting.push({ take, bytes }) > 1) return;
      atNextTurn(handOver);
      scheduled();
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
