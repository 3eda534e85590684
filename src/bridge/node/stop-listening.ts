import { Server as NetServer, type Socket } from 'node:net';
import { type Clock, atNextTurn } from '../../clock/clock.js';
import type { NodeSocket } from '../exchange/node-socket.js';

/** A server stops listening when no connection has arrived for this long. */
const QUIET_MS = 100;

const MAX_QUIET_WAIT_MS = 500;

/** A shorter turn of the event loop did no work: a connection is unlikely to arrive between it and the closing. */
const IDLE_TURN_MS = 0.05;

const MAX_IDLE_WAIT_MS = 250;

/**
 * Calls `stop`, which closes the listening socket, when no client is likely to connect: the operating system resets
 * connections that it has not handed over by then. Until then new connections are accepted and held back, and clients
 * that wait on them open no others. The returned function stops at once.
 *
 * @param withinMs the longest it may take; zero stops in the next turns of the event loop
 */
export function stopListening(server: object, clock: Clock, withinMs: number, stop: () => void): () => void {
  const held = holdConnections(server);
  // Only a Node server reports its connections.
  const quietMs = server instanceof NetServer ? Math.min(QUIET_MS, withinMs) : 0;
  const begun = clock.monotonic();
  const latest = begun + Math.min(MAX_QUIET_WAIT_MS, withinMs);
  let count = 0;
  let since = begun;
  let stopped = false;

  const stopNow = (): void => {
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
    else whenAccepted(clock, held.count, stopNow);
  };
  look();
  return stopNow;
}

/** Node accepts one waiting connection in each turn of the event loop: this waits for a turn that accepts none. */
function whenAccepted(clock: Clock, count: () => number, callback: () => void): void {
  const first = clock.monotonic();
  const turn = (begun: number, before: number): void => {
    atNextTurn(() => {
      const now = clock.monotonic();
      const idle = count() === before && now - begun < IDLE_TURN_MS;
      if (idle || now - first > MAX_IDLE_WAIT_MS) callback();
      else turn(now, count());
    });
  };
  turn(-Infinity, 0);
}

const ignoreError = (): void => undefined;

function holdConnections(server: object) {
  let held: Socket[] | undefined = [];
  let count = 0;
  if (server instanceof NetServer) {
    const emit = server.emit as (event: string | symbol, ...values: unknown[]) => boolean;
    const intercept = (event: string | symbol, ...values: unknown[]): boolean => {
      if (held === undefined || event !== 'connection') return emit.call(server, event, ...values);
      const socket = values[0] as Socket;
      // A socket that fails has no other error listener yet.
      socket.on('error', ignoreError);
      count = held.push(socket);
      return true;
    };
    server.emit = intercept;
  }
  return {
    count: () => count,
    release(): void {
      const sockets = held ?? [];
      held = undefined;
      for (const socket of sockets) {
        if (socket.destroyed) continue;
        (server as NetServer).emit('connection', socket);
        socket.removeListener('error', ignoreError);
      }
    },
  };
}

/** Set on a server while `gracefulClose` still accepts. Registered: there may be two copies of this package. */
const ABOUT_TO_STOP: unique symbol = Symbol.for('kube-vitals.aboutToStopListening') as never;

type Marked = { [ABOUT_TO_STOP]?: boolean };

export function setAboutToStop(server: object, value: boolean): void {
  (server as Marked)[ABOUT_TO_STOP] = value;
}

/** While it is true, a client whose connection is closed connects again at once, and that connection may be reset. */
export function isAboutToStop(socket: Pick<NodeSocket, 'server'> | null): boolean {
  return (socket?.server as Marked | null | undefined)?.[ABOUT_TO_STOP] === true;
}
