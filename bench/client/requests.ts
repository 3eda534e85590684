import type { Target } from '../protocol.js';

/** Requests as they go over the wire. */
export interface Requests {
  get(path: string): string;
  post(path: string, body: string): string;
  put(path: string, body: string): string;
  mergePatch(path: string, body: string): string;
}

/** Bodies are ASCII: their length in characters is their length in bytes. */
export function requests({ host, port, token }: Target): Requests {
  const head = `Host: ${host}:${port}\r\n${token === '' ? '' : `Authorization: Bearer ${token}\r\n`}`;
  const withBody = (method: string, type: string) => (path: string, body: string) =>
    `${method} ${path} HTTP/1.1\r\n${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return {
    get: (path) => `GET ${path} HTTP/1.1\r\n${head}\r\n`,
    post: withBody('POST', 'application/json'),
    put: withBody('PUT', 'application/json'),
    mergePatch: withBody('PATCH', 'application/merge-patch+json'),
  };
}

export const eventsPath = ({ base }: Target, namespace: string): string => `${base}/namespaces/${namespace}/events`;
