import { directSocket, type NodeOutgoing } from './message.js';
import { http } from './node-http.js';

const MAX_COPIED_BYTES = 65_536;

/** Encodes a chunk with the chunked transfer coding (RFC 9112, 7.1). */
export type Framing = (chunk: Uint8Array) => Uint8Array;

/** Keeps the framing of the last chunk, because watchers that are woken together get the same one (decision 34). */
export function createFraming(): Framing {
  let last: Uint8Array | undefined;
  let framed = Buffer.alloc(0);
  return (chunk) => {
    if (last === chunk) return framed;
    const size = `${chunk.byteLength.toString(16)}\r\n`;
    framed = Buffer.allocUnsafe(size.length + chunk.byteLength + 2);
    framed.write(size, 0, 'latin1');
    framed.set(chunk, size.length);
    framed.write('\r\n', size.length + chunk.byteLength, 'latin1');
    last = chunk;
    return framed;
  };
}

/** Writes small chunks and their framing in one write, not three corked ones; `undefined` if `write` is not Node's. */
export function framedWriter(
  res: NodeOutgoing & { readonly chunkedEncoding?: boolean },
  framing: Framing,
): ((chunk: Uint8Array, written: (error?: Error | null) => void) => void) | undefined {
  if ((res.write as unknown) !== http.OutgoingMessage.prototype.write) return undefined;
  return (chunk, written) => {
    const isFramed = chunk.byteLength <= MAX_COPIED_BYTES && res.chunkedEncoding === true && res.headersSent;
    const socket = isFramed ? directSocket(res) : undefined;
    if (socket?.write === undefined) res.write(chunk, written);
    else socket.write(framing(chunk), written);
  };
}
