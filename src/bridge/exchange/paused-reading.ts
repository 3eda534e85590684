import type { NodeSocket } from './node-socket.js';

/** A response of `node:http`, as far as this file uses it. */
export interface PausableResponse {
  readonly socket?: Pick<NodeSocket, 'encrypted' | 'writableNeedDrain' | 'pause' | 'resume'> | null | undefined;
  once(event: 'finish' | 'prefinish', listener: () => void): unknown;
}

/**
 * Reads nothing from a TLS connection until Node knows that a large response has been sent, a turn after the client may
 * have received it: for a request that arrives earlier Node pauses its parser, and closes the connection when a second
 * TLS record, such as the body, has arrived with the first. To be called when all of the response has been written.
 */
export function pauseUntilSent(res: PausableResponse): void {
  const { socket } = res;
  if (socket?.encrypted !== true || socket.writableNeedDrain !== true) return;
  socket.pause?.();
  res.once('finish', () => socket.resume?.());
}

/** Does so for a response that another program writes, such as a framework's adapter. */
export function pauseWhenWritten(res: PausableResponse): void {
  if (res.socket?.encrypted === true) res.once('prefinish', () => pauseUntilSent(res));
}
