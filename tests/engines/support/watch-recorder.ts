import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { eventsPath, type Stored } from './event-api.js';
import type { Seen } from './history.js';
import type { Server } from './standalone.js';
import { until } from './waiting.js';

/** A client that watches one namespace, resuming after every end, and records what it receives. */
export interface WatchRecorder {
  readonly name: string;
  readonly seen: readonly Seen[];
  /** Frames and responses that a watcher may not get while history reaches back far enough. */
  readonly wrong: readonly string[];
  /** How often it resumed after an end, mostly at another server. */
  readonly resumed: () => number;
  /** Resolves once it has received this revision, or a later one. */
  readonly reaches: (revision: number, deadlineMs?: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface WatchRecorderOptions {
  readonly name: string;
  /** Where it watches: the first one, until that ends; then the next. */
  readonly servers: readonly Server[];
  readonly namespace: string;
  /** The revision after which it begins. */
  readonly after: number;
  readonly onSeen?: (seen: Seen) => void;
}

interface Frame {
  readonly type: Seen['type'] | 'BOOKMARK' | 'ERROR';
  readonly object: Stored & { readonly code?: number; readonly message?: string };
}

/** Starts the watch. */
export function recordWatch({ name, servers, namespace, after, onSeen }: WatchRecorderOptions): WatchRecorder {
  const seen: Seen[] = [];
  const wrong: string[] = [];
  const closing = new AbortController();
  let last = after;
  let connections = 0;

  const take = (line: string): void => {
    const { type, object } = JSON.parse(line) as Frame;
    if (type === 'ERROR') {
      // After 503 and 504 it watches again. No other error is allowed.
      if (object.code !== 503 && object.code !== 504) wrong.push(`${name}: ${line}`);
      return;
    }
    const revision = Number(object.metadata.resourceVersion);
    if (type === 'BOOKMARK') {
      if (revision < last) wrong.push(`${name}: a bookmark of ${revision} after ${last}`);
      last = Math.max(last, revision);
      return;
    }
    const { name: key, uid, annotations } = object.metadata;
    const text = line.slice(line.indexOf('"object":') + '"object":'.length, -1);
    const one: Seen = { type, key, revision, uid, note: annotations?.write ?? '', text, at: performance.now() };
    seen.push(one);
    last = revision;
    onSeen?.(one);
  };

  const watchOnce = async (server: Server): Promise<void> => {
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=600&resourceVersion=${last}`;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: server.authorization };
      const { signal } = closing;
      get(`${server.url}${eventsPath(namespace)}?${query}`, { headers, signal }, resolve).on('error', reject);
    });
    let rest = '';
    for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      if (response.statusCode === 200) lines.forEach(take);
    }
    const status = response.statusCode ?? 0;
    if (![200, 429, 503, 504].includes(status)) wrong.push(`${name}: ${status} ${rest.slice(0, 300)}`);
    // A killed server may leave an incomplete last line, which is ignored.
    if (status !== 200) await pause(50, undefined, { signal: closing.signal });
  };

  const run = async (): Promise<void> => {
    for (let turn = 0; !closing.signal.aborted; turn++) {
      const server = servers[turn % servers.length] as Server;
      if (server.up) {
        connections++;
        await watchOnce(server).catch(() => undefined);
      }
      await pause(10);
    }
  };
  const running = run();
  return {
    ...{ name, seen, wrong },
    resumed: () => Math.max(0, connections - 1),
    reaches: (revision, deadlineMs = 30_000) =>
      until(`${name} has seen revision ${revision} (it is at ${last})`, () => last >= revision, deadlineMs),
    async stop() {
      closing.abort();
      await running;
    },
  };
}
