import type { HttpResponse, Connection } from './connection.js';
import { createLatencies } from './latencies.js';

/** Creates at a steady rate. */
export interface PacedOptions {
  readonly connections: readonly Connection[];
  readonly rate: number;
  readonly durationMs: number;
  request(index: number): string;
  onAck(index: number, at: number): void;
  onError(response: HttpResponse): void;
}

export interface PacedResult {
  readonly acked: number;
  readonly perSecond: number;
  /** From the moment a create was due until its response. */
  readonly p99Ms: number;
}

const TICK_MS = 2;
/** After the last create was due, responses are waited for this long. */
const GRACE_MS = 5_000;

/** Sends creates that are due over free connections; without a free one they wait, and the wait counts as latency. */
export function pacedCreates(options: PacedOptions): Promise<PacedResult> {
  const { connections, rate, durationMs } = options;
  const total = Math.floor((rate * durationMs) / 1000);
  const free = [...connections];
  const latencies = createLatencies();
  const start = performance.now();
  let next = 0;
  let acked = 0;
  let answered = 0;
  let last = start;
  return new Promise((resolve) => {
    const finish = (): void => {
      clearInterval(timer);
      resolve({ acked, perSecond: (acked * 1000) / Math.max(last - start, 1), p99Ms: latencies.percentile(0.99) });
    };
    const pump = (): void => {
      const now = performance.now();
      if (now - start > durationMs + GRACE_MS) return finish();
      const due = Math.min(total, Math.floor(((now - start) * rate) / 1000));
      while (next < due) {
        const connection = free.pop();
        if (!connection) return;
        // The last ones of the list are rarely needed, and the server closes idle connections.
        if (!connection.isClosed) create(connection, next++);
      }
    };
    const create = (connection: Connection, index: number): void => {
      connection.send(options.request(index), (response) => {
        const now = performance.now();
        answered += 1;
        if (response.status === 201) {
          acked += 1;
          last = now;
          options.onAck(index, now);
          latencies.add(now - (start + (index * 1000) / rate));
        } else {
          options.onError(response);
        }
        if (response.status !== 0) free.push(connection);
        if (answered === total) return finish();
        pump();
      });
    };
    const timer = setInterval(pump, TICK_MS);
  });
}
