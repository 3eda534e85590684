import { setTimeout as pause } from 'node:timers/promises';
import { createEventApi, eventsPath, newEvent } from './event-api.js';
import { createHistory } from './history.js';
import { createHttpClient, isLost, type HttpClient } from './http-client.js';
import { startPager, walkPages } from './pages.js';
import { startProber, type Prober } from './prober.js';
import type { Server } from './standalone.js';
import { conclude, MARK, type Counts } from './verdict.js';
import { until } from './waiting.js';
import { recordWatch } from './watch-recorder.js';
import { startWorkload } from './workload.js';

/** Load on some servers, with one fault in the middle. */
export interface RoundOptions {
  readonly servers: readonly Server[];
  readonly namespace: string;
  readonly seed: number;
  /** The least number of acknowledged writes before the fault, and again after it. Default: 100. */
  readonly writes?: number;
  /** The least time before the fault, and again after it, milliseconds. Default: 0. */
  readonly loadMs?: number;
  readonly ballast?: number;
  readonly mix?: 'all' | 'create' | 'rewrite';
  readonly thinkMs?: number;
  /** The connections of all clients but the watches. It is left open. Default: a client of the round's own. */
  readonly http?: HttpClient;
  /** Injects the fault. `healing` marks the moment from which the system can recover. */
  readonly fault?: (load: RunningLoad) => Promise<void>;
}

/** What a fault can wait for while the load runs. */
export interface RunningLoad {
  /** Waits for this many further acknowledged writes. */
  readonly moreAcknowledged: (count: number, deadlineMs?: number) => Promise<void>;
  /** Waits for this many further writes that failed. */
  readonly moreFailures: (count: number) => Promise<void>;
  /** Waits until none of these servers is ready any more. */
  readonly unready: (...servers: readonly Server[]) => Promise<void>;
  /** Waits until all of these servers are ready, and report that their store refuses writes. */
  readonly readOnly: (...servers: readonly Server[]) => Promise<void>;
  /** The recovery is measured from here. */
  readonly healing: () => void;
}

/** What was counted, and everything that was wrong. */
export interface RoundResult extends Counts {
  readonly writes: number;
  readonly acknowledged: number;
  readonly unknown: number;
  /** From `healing` until every server had acknowledged a write that was begun afterwards. */
  readonly recoveryMs: number;
  readonly worstMs: number;
  /** How often a watch was resumed after it had ended. */
  readonly resumed: number;
  /** Empty when all is well. */
  readonly wrong: readonly string[];
}

const SHOWN = 12;

/** Runs the load and the fault, waits for all servers to recover, and runs all checks. */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { servers, namespace, seed, writes = 100, loadMs = 0, fault } = options;
  const own = createHttpClient();
  const http = options.http ?? own;
  const history = createHistory();
  const acknowledgedAt: { readonly server: Server; readonly invoked: number; readonly at: number }[] = [];
  let healedAt: number | undefined;

  const first = await mark(http, servers, namespace, 'begin');
  const watchers = servers.map((server, index) =>
    recordWatch({
      name: `the watch of ${server.name}`,
      servers: [...servers.slice(index), ...servers.slice(0, index)],
      namespace,
      after: first.revision,
    }),
  );
  const probers = new Map(servers.map((server) => [server, startProber(server, http)]));
  const proberOf = (server: Server): Prober => probers.get(server) as Prober;
  const api = createEventApi({
    ...{ http, namespace, history },
    ...(options.ballast !== undefined && { ballast: options.ballast }),
    onAcknowledged: (server, invoked, at) => acknowledgedAt.push({ server, invoked, at }),
  });
  const workload = startWorkload({
    ...{ api, servers, seed },
    ...(options.mix !== undefined && { mix: options.mix }),
    ...(options.thinkMs !== undefined && { thinkMs: options.thinkMs }),
  });

  // Whole lists of large events would take too much memory.
  const pager = options.ballast === undefined ? startPager(http, servers, namespace) : undefined;

  const wrong: string[] = [];
  const moreAcknowledged = async (count: number, deadlineMs = 60_000): Promise<void> => {
    const goal = acknowledgedAt.length + count;
    await until(`${count} more writes were acknowledged`, () => acknowledgedAt.length >= goal, deadlineMs);
  };
  const failures = (): number => history.writes.length - acknowledgedAt.length + history.unavailable;
  let recoveryMs = 0;
  try {
    await moreAcknowledged(writes);
    await pause(loadMs);
    await fault?.({
      moreAcknowledged,
      moreFailures: (count) => {
        const goal = failures() + count;
        return until(`${count} more writes failed`, () => failures() >= goal, 60_000);
      },
      unready: (...some) =>
        until(`${some.map((server) => server.name).join(' and ')} are not ready`, () =>
          some.every((server) => !proberOf(server).ready()),
        ),
      readOnly: (...some) =>
        until(`${some.map((server) => server.name).join(' and ')} can only be read`, () =>
          some.every((server) => proberOf(server).readOnly()),
        ),
      healing: () => (healedAt = performance.now()),
    });
    const since = healedAt ?? performance.now();
    const answered = (server: Server): number | undefined =>
      acknowledgedAt.find((one) => one.server === server && one.invoked > since)?.at;
    await until('every server takes writes again', () => servers.every((server) => answered(server)), 60_000);
    recoveryMs = Math.max(...servers.map((server) => answered(server) ?? NaN)) - since;
    await moreAcknowledged(writes);
    await pause(loadMs);
    await until('all servers are ready', () => servers.every((server) => proberOf(server).ready()), 60_000);
  } catch (error) {
    wrong.push(String(error));
  }
  await workload.stop();
  await pager?.stop();

  const verdict = await conclude(async () => {
    const last = await mark(http, servers, namespace, 'end');
    for (const watcher of watchers) await watcher.reaches(last.revision).catch((error) => wrong.push(String(error)));
    const walks = [...(pager?.walks ?? [])];
    for (const from of servers.keys()) {
      walks.push(await walkPages(http, [...servers.slice(from), ...servers.slice(0, from)], namespace));
    }
    return { history, watchers, walks, after: first.revision, upTo: last.revision - 1 };
  });
  wrong.push(...verdict.wrong, ...history.wrong, ...(pager?.wrong ?? []));
  for (const prober of probers.values()) wrong.push(...prober.wrong);
  await Promise.all([...watchers.map((watcher) => watcher.stop()), ...[...probers.values()].map((one) => one.stop())]);
  own.close();

  const acknowledged = history.writes.filter((write) => write.acknowledged).length;
  return {
    writes: history.writes.length + history.refused.size,
    acknowledged,
    unknown: history.writes.length - acknowledged,
    ...verdict.counts,
    recoveryMs: Math.round(recoveryMs),
    worstMs: Math.round(history.worstMs),
    resumed: watchers.reduce((sum, watcher) => sum + watcher.resumed(), 0),
    wrong: wrong.length > SHOWN ? [...wrong.slice(0, SHOWN), `and ${wrong.length - SHOWN} more`] : wrong,
  };
}

/** Creates an event that no client touches, with retries: its revision marks a point in the history. */
async function mark(
  http: HttpClient,
  servers: readonly Server[],
  namespace: string,
  name: string,
): Promise<{ readonly revision: number }> {
  let revision: number | undefined;
  let last = '';
  await until(
    `the mark ${name} is stored`,
    async () => {
      const server = servers.find((one) => one.up);
      if (server === undefined) return false;
      const body = newEvent(namespace, `${MARK}${name}`, name);
      let response = await http.ask(server, { method: 'POST', path: eventsPath(namespace), body });
      // An earlier try whose outcome was unknown.
      if (!isLost(response) && response.status === 409) {
        response = await http.ask(server, { path: eventsPath(namespace, `${MARK}${name}`) });
      }
      last = isLost(response) ? response.reason : response.text;
      if (isLost(response) || response.status > 201) return false;
      revision = Number(
        (JSON.parse(response.text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion,
      );
      return true;
    },
    60_000,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${last}`, { cause: error });
  });
  return { revision: revision ?? NaN };
}

/** The one line of a round. */
export function resultLine(name: string, engine: string, seed: number, result: RoundResult): string {
  const { writes, acknowledged, unknown, losses, duplicates, missed, repeated, recoveryMs, worstMs, resumed } = result;
  return (
    `fault ${name} ${engine} seed=${seed} writes=${writes} acknowledged=${acknowledged} unknown=${unknown} ` +
    `losses=${losses} duplicates=${duplicates} missed=${missed} repeated=${repeated} recovery=${recoveryMs}ms ` +
    `worst=${worstMs}ms resumed=${resumed}`
  );
}
