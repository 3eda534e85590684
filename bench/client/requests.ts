import type { Target } from '../protocol.js';
import type { ClientBodies } from './client-bodies.js';

/** Requests as they are sent. */
export interface Requests {
  get(path: string): string;
  post(path: string, body: string): string;
  put(path: string, body: string): string;
  mergePatch(path: string, body: string): string;
  /** A create as a client sends it. */
  create(client: ClientBodies, body: string): string;
}

/** A body's length in characters is its length in bytes: JSON is ASCII here, and protobuf has a character for each byte. */
export function requests({ host, port, token }: Target): Requests {
  const head = `Host: ${host}:${port}\r\n${token === '' ? '' : `Authorization: Bearer ${token}\r\n`}`;
  const withBody = (method: string, type: string) => (path: string, body: string) =>
    `${method} ${path} HTTP/1.1\r\n${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return {
    get: (path) => `GET ${path} HTTP/1.1\r\n${head}\r\n`,
    post: withBody('POST', 'application/json'),
    put: withBody('PUT', 'application/json'),
    mergePatch: withBody('PATCH', 'application/merge-patch+json'),
    create: ({ path, contentType, accept, userAgent }, body) =>
      `POST ${path} HTTP/1.1\r\n${head}User-Agent: ${userAgent}\r\nAccept: ${accept}\r\nContent-Type: ${contentType}\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  };
}

export const eventsPath = ({ base }: Target, namespace: string): string => `${base}/namespaces/${namespace}/events`;
