import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The watchers of one namespace. */
export interface FanOut {
  add(response: ServerResponse): void;
  publish(bytes: Buffer): void;
}

const START = Buffer.from('{"type":"ADDED","object":');
const END = Buffer.from('}\n');
const CHUNK_END = Buffer.from('\r\n');

/** All frames of one turn become one chunk, framed once and written to the plain sockets. */
export function createFanOut(): FanOut {
  const sockets = new Set<Socket>();
  let waiting: Buffer[] = [];

  const flush = (): void => {
    const length = waiting.reduce((sum, part) => sum + part.length, 0);
    const chunk = Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`), ...waiting, CHUNK_END]);
    waiting = [];
    for (const socket of sockets) socket.write(chunk);
  };
  return {
    add(response) {
      response.writeHead(200, ['Content-Type', 'application/json', 'Transfer-Encoding', 'chunked']);
      response.flushHeaders();
      const { socket } = response;
      if (!socket) return;
      sockets.add(socket);
      response.on('close', () => sockets.delete(socket));
    },
    publish(bytes) {
      if (sockets.size === 0) return;
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(START, bytes, END);
    },
  };
}
