import type { NodeOutgoing, NodeSocket } from './message.js';

/** A socket that is written to without the `write` of its response. */
export interface DirectSocket extends NodeSocket {
  readonly _httpMessage?: unknown;
  write?(chunk: Uint8Array, callback?: (error?: Error | null) => void): boolean;
}

/**
 * Returns the socket of an HTTP/1.1 response if Node would write to it at once, because the response waits behind no
 * other.
 */
export function directSocket(res: NodeOutgoing): DirectSocket | undefined {
  const socket = res.socket as DirectSocket | null;
  if (socket === null || socket._httpMessage !== res || socket.writable !== true) return undefined;
  return res.writableLength === socket.writableLength ? socket : undefined;
}
