import { directSocket, type DirectSocket } from './direct-socket.js';
import type { NodeOutgoing } from './message.js';
import { http } from './node-http.js';

/** Larger chunks are not copied. */
const MAX_COPIED_BYTES = 65_536;

type Written = (error?: Error | null) => void;

/** The chunk that was sent last, and its framing: watchers that are woken together get the same chunk. */
export interface LastSent {
  chunk: Uint8Array;
  framed: Uint8Array;
}

export const createLastSent = (): LastSent => ({ chunk: NOTHING, framed: NOTHING });

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

/**
 * Returns a function that writes small chunks, with their chunk framing, to the socket of a response: one write in
 * place of three corked ones, and framed once for all watchers that get the same chunk (decision 34). Returns
 * `undefined` if `write` is not that of Node: middleware or the service has replaced it.
 */
export function framedWriter(
  res: NodeOutgoing,
  last: LastSent,
): ((chunk: Uint8Array, written: Written) => void) | undefined {
  if ((res.write as unknown) !== http.OutgoingMessage.prototype.write) return undefined;
  return (chunk, written) => {
    const socket = chunk.byteLength > MAX_COPIED_BYTES ? undefined : chunkedSocket(res);
    if (socket?.write === undefined) {
      res.write(chunk, written);
      return;
    }
    if (last.chunk !== chunk) {
      last.chunk = chunk;
      last.framed = framed(chunk);
    }
    socket.write(last.framed, written);
  };
}

/** Returns the socket of a response whose headers have been sent, and whose chunks Node would frame. */
function chunkedSocket(res: NodeOutgoing & { readonly chunkedEncoding?: boolean }): DirectSocket | undefined {
  return res.chunkedEncoding === true && res.headersSent ? directSocket(res) : undefined;
}

/** Encodes a chunk with the chunked transfer coding (RFC 9112, 7.1). */
function framed(chunk: Uint8Array): Buffer {
  const size = `${chunk.byteLength.toString(16)}\r\n`;
  const bytes = Buffer.allocUnsafe(size.length + chunk.byteLength + 2);
  bytes.write(size, 0, 'latin1');
  bytes.set(chunk, size.length);
  bytes[bytes.length - 2] = 0x0d;
  bytes[bytes.length - 1] = 0x0a;
  return bytes;
}
