import { Agent, request } from 'node:http';
import type { Server } from './standalone.js';

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Why there is no response. */
export interface Lost {
  /** `refused`: nothing listened, so nothing happened. `late`: no response within the deadline. */
  readonly lost: 'refused' | 'broken' | 'late';
  readonly reason: string;
}

/** What to send. */
export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly deadlineMs?: number;
}

/** How long a client waits: every response has to come earlier, also that of a server whose database is unavailable. */
export const CLIENT_DEADLINE_MS = 10_000;

/** Connections of one simulated client or of several. */
export interface HttpClient {
  readonly ask: (server: Server, ask: Ask) => Promise<HttpResponse | Lost>;
  readonly close: () => void;
}

export function isLost(response: HttpResponse | Lost): response is Lost {
  return 'lost' in response;
}

/** A client that keeps connections alive and never throws for a failure of the network. */
export function createHttpClient({ connections = Infinity }: { readonly connections?: number } = {}): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = (server: Server, { method = 'GET', path, body, ...more }: Ask): Promise<HttpResponse | Lost> =>
    new Promise((resolve) => {
      const bytes = body === undefined ? undefined : JSON.stringify(body);
      let late = false;
      const sent = request(`${server.url}${path}`, {
        agent,
        method,
        headers: {
          authorization: server.authorization,
          ...(bytes !== undefined && {
            'content-type': more.contentType ?? 'application/json',
            'content-length': Buffer.byteLength(bytes),
          }),
        },
      });
      const timer = setTimeout(() => {
        late = true;
        sent.destroy(new Error('deadline'));
      }, more.deadlineMs ?? CLIENT_DEADLINE_MS);
      const failed = (error: NodeJS.ErrnoException): void => {
        clearTimeout(timer);
        const lost = late ? 'late' : error.code === 'ECONNREFUSED' ? 'refused' : 'broken';
        resolve({ lost, reason: error.message });
      };
      sent.on('error', failed);
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('error', failed);
        response.on('end', () => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
        });
      });
      sent.end(bytes);
    });
  return { ask, close: () => agent.destroy() };
}
