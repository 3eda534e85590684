import { Server as NetServer } from 'node:net';
import { setImmediate } from 'node:timers';
import type { Clock } from '../../clock/clock.js';

/** No connection comes for so long before a server stops listening, */
const QUIET_MS = 100;

/** unless that takes longer than this. */
const LONGEST_QUEST_MS = 500;

/** In a turn of the event loop that is shorter nothing happens, so hardly a connection comes between accepting and closing. */
const SHORT_TURN_MS = 0.05;

/** For how long such a turn is waited for. */
const LONGEST_WAIT_MS = 250;

/** What {@link stopListening} works with. */
export interface StopListeningParts {
  readonly clock: Clock;
  /** The longest it may take; zero stops in the next turns of the event loop. */
  readonly withinMs: number;
  /** Closes the listening socket. */
  stop(): void;
}

/**
 * Calls `stop`, which closes the listening socket, when no client is about to connect: connections that wait in the system at
 * that moment are reset. Those that come meanwhile are accepted and kept back until then. A client that opens a connection
 * for each request opens no other while it waits, so after a while no more come, however many such clients there are; what
 * is left are clients that open connections without waiting for anything. The result stops at once.
 */
export function stopListening(server: object, { clock, withinMs, stop }: StopListeningParts): () => void {
  const held = holdConnections(server);
  // What is no server of Node shows no connections.
  const quietMs = server instanceof NetServer ? Math.min(QUIET_MS, withinMs) : 0;
  const begun = clock.monotonic();
  const latest = begun + Math.min(LONGEST_QUEST_MS, withinMs);
  let count = 0;
  let since = begun;
  let stopped = false;

  const now = (): void => {
    if (stopped) return;
    stopped = true;
    stop();
    held.release();
  };
  const look = (): void => {
    const time = clock.monotonic();
    if (held.count() !== count) since = time;
    count = held.count();
    const due = Math.min(since + quietMs, latest);
    if (time < due) clock.setTimer(look, due - time);
    else whenAccepted(clock, held.count, now);
  };
  look();
  return now;
}

/** Connections wait in the system until a turn of the event loop accepts them, one in each: this waits for a turn without. */
function whenAccepted(clock: Clock, count: () => number, callback: () => void): void {
  const first = clock.monotonic();
  const turn = (begun: number, before: number): void => {
    setImmediate(() => {
      const now = clock.monotonic();
      const idle = count() === before && now - begun < SHORT_TURN_MS;
      if (idle || now - first > LONGEST_WAIT_MS) callback();
      else turn(now, count());
    });
  };
  turn(-Infinity, 0);
}

/** Connections that a server has accepted and not heard of. */
interface HeldConnections {
  /** How many there have been. */
  count(): number;
  /** Hands them to the server, and further ones at once. */
  release(): void;
}

interface HeldSocket {
  readonly destroyed: boolean;
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
}

const ignoreError = (): void => undefined;

function holdConnections(server: object): HeldConnections {
  let held: HeldSocket[] | undefined = [];
  let count = 0;
  if (server instanceof NetServer) {
    const emit = server.emit as (event: string | symbol, ...values: unknown[]) => boolean;
    server.emit = (event: string | symbol, ...values: unknown[]): boolean => {
      if (held === undefined || event !== 'connection') return emit.call(server, event, ...values);
      const socket = values[0] as HeldSocket;
      // A socket that breaks off has no other error listener yet.
      socket.on('error', ignoreError);
      count = held.push(socket);
      return true;
    };
  }
  return {
    count: () => count,
    release(): void {
      const sockets = held ?? [];
      held = undefined;
      for (const socket of sockets) {
        if (socket.destroyed) continue;
        (server as NetServer).emit('connection', socket as never);
        socket.removeListener('error', ignoreError);
      }
    },
  };
}
