import { setTimeout as pause } from 'node:timers/promises';
import { isLost, type HttpClient } from './http-client.js';
import type { Server } from './standalone.js';

/** A client that probes the health of a server all the time, as a kubelet does. */
export interface Prober {
  /** The last response of `/readyz`. */
  readonly ready: () => boolean;
  /** Whether it passed, and reported the store as degraded: reads only. */
  readonly readOnly: () => boolean;
  /** Responses of `/livez` other than 200 while the server was up. */
  readonly wrong: readonly string[];
  readonly stop: () => Promise<void>;
}

const EVERY_MS = 100;
const HALF_THERE = /^\[\+\](sqlite|postgres|etcd) .*degraded/m;

/** Starts the client. */
export function startProber(server: Server, http: HttpClient): Prober {
  const wrong: string[] = [];
  let ready = true;
  let readOnly = false;
  let stopped = false;

  const run = async (): Promise<void> => {
    while (!stopped) {
      if (server.up) {
        const [livez, readyz] = await Promise.all(
          ['/livez', '/readyz?verbose'].map((path) => http.ask(server, { path, deadlineMs: 8_000 })),
        );
        if (livez !== undefined && server.up && !isLost(livez) && livez.status !== 200) {
          wrong.push(`/livez of ${server.name}: ${livez.status} ${livez.text}`);
        }
        if (livez !== undefined && server.up && isLost(livez) && livez.lost === 'late') {
          wrong.push(`/livez of ${server.name}: no answer`);
        }
        ready = readyz !== undefined && !isLost(readyz) && readyz.status === 200;
        readOnly = ready && readyz !== undefined && !isLost(readyz) && HALF_THERE.test(readyz.text);
      } else ready = readOnly = false;
      await pause(EVERY_MS);
    }
  };
  const running = run();
  return {
    ready: () => ready,
    readOnly: () => readOnly,
    wrong,
    async stop() {
      stopped = true;
      await running;
    },
  };
}
