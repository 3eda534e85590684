import { untilAborted } from '../../clock/abortable.js';
import { messageOf } from '../../model/error-message.js';
import { copyEvents, isStoreError } from '../../store.js';
import type { CopyResult, EventStore, SkippedEvent, CopyProgress } from '../../store.js';
import { SIGNAL_EXIT_CODES, type EndSignal, type ProcessContext } from '../command-line/command.js';
import { openingFault, openStore } from '../stores/open-store.js';
import { passwordFilter, type StoreChoice } from '../stores/store-url.js';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';

export interface CopyTask {
  readonly from: StoreChoice;
  readonly to: StoreChoice;
  readonly overwrite: boolean;
  readonly skipRefused: boolean;
}

const RESUMABLE = 'copied events are kept, and the same command continues the copy';
const OPENING_MS = 10_000;

/** The first signal ends the copy after the writes that are under way, the second at once. @returns the exit code */
export async function runCopy(task: CopyTask, { stdout, stderr, onSignal }: ProcessContext): Promise<number> {
  const filters = [passwordFilter(task.from), passwordFilter(task.to)];
  const write = (line: string): void => void stderr.write(`${filters.reduce((text, filter) => filter(text), line)}\n`);
  const refusal = copyRefusal(task.from, task.to);
  if (refusal !== undefined) {
    write(`error: ${refusal}`);
    return 2;
  }
  const stopping = new AbortController();
  let stoppedBy: EndSignal | undefined;
  let stop = (): void => undefined;
  const stoppedImmediately = new Promise<number>((resolve) => {
    stop = onSignal((signal) => {
      if (stoppedBy !== undefined) return resolve(SIGNAL_EXIT_CODES[signal]);
      stoppedBy = signal;
      write(`${signal}: stopping`);
      stopping.abort(new Error(`stopped by ${signal}`));
    });
  });
  const work = copyBetween(task, write, stopping.signal).then(
    (result) => {
      stdout.write(`${countsOf({ ...result, left: result.skipped.length })}\n`);
      return result.skipped.some(({ why }) => why === 'different') ? 1 : 0;
    },
    (error: unknown) => {
      if (stoppedBy === undefined) {
        write(`error: ${messageOf(error)}`);
        return 1;
      }
      write(`stopped; ${RESUMABLE}`);
      return SIGNAL_EXIT_CODES[stoppedBy];
    },
  );
  return Promise.race([work, stoppedImmediately]).finally(stop);
}

async function copyBetween(
  { from, to, overwrite, skipRefused }: CopyTask,
  write: (line: string) => void,
  signal: AbortSignal,
): Promise<CopyResult> {
  const source = await open('FROM', from, signal);
  try {
    const target = await open('TO', to, signal);
    try {
      if ((await target.list({ limit: 1, signal })).records.length > 0) {
        write(
          `${to.shown} is not empty: equal events are left alone, different ones are ${overwrite ? 'replaced' : 'listed'}`,
        );
      }
      const onProgress = createProgressLines(write, () => performance.now());
      const onSkipped = createSkipReporter(skipRefused, write);
      const options = { overwrite, onProgress, onSkipped, signal };
      const result = await copyEvents(source, target, options).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new Error(`${messageOf(error)}; ${RESUMABLE}`, { cause: error });
      });
      const { copied, present, overwritten, expired, skipped } = result;
      // A prefix of etcd that is misspelt is an empty store.
      if (copied + present + overwritten + expired + skipped.length === 0)
        write(`${from.shown} has no events: check its schema, prefix or file`);
      if (!result.consistent)
        write('the copy took longer than the history of FROM, so the last events are of a later state: run it again');
      return result;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Opens a store that responds. A full disk is no reason not to read from it. */
async function open(side: 'FROM' | 'TO', choice: StoreChoice, signal: AbortSignal): Promise<EventStore> {
  // What fails in the background, such as the removal of old history, does not matter to a copy.
  // A schema of FROM that is misspelt is not created.
  const store = await openStore(choice, { source: side, migrate: side === 'TO', observe: () => undefined });
  try {
    // Two signals: Node 20 forgets the timeout of one that is made of both.
    await untilAborted(store.ping({ signal, withinMs: OPENING_MS }), AbortSignal.timeout(OPENING_MS));
    return store;
  } catch (error) {
    if (side === 'FROM' && isStoreError(error) && error.onlyWrites === true) return store;
    await store.close();
    signal.throwIfAborted();
    throw new Error(`${side}: ${openingFault(error)}`, { cause: error });
  }
}

const MAX_LISTED = 100;

const REASONS: Readonly<Record<SkippedEvent['why'], string>> = {
  different: 'TO has another event of that name (--overwrite replaces it)',
  'too-large': 'it is too large for TO',
  'invalid-key': 'TO does not accept its name',
};

/** Names each event that is left out, up to a hundred. Without `skipRefused`, an event that TO refuses is an Error. */
export function createSkipReporter(
  skipRefused: boolean,
  write: (line: string) => void,
): (skipped: SkippedEvent) => void {
  let count = 0;
  return ({ key, why }) => {
    const what = `${key.namespace}/${key.name}: ${REASONS[why]}`;
    if (why !== 'different' && !skipRefused) throw new Error(`${what} (--skip-refused goes on without such events)`);
    count += 1;
    if (count <= MAX_LISTED) write(`left out: ${what}`);
    else if (count === MAX_LISTED + 1) write('left out: more events, which are counted but not named');
  };
}

/** The shortest time before the first line, and between two lines. */
const PAUSE_MS = 1_000;

/** Writes at most one line per `PAUSE_MS`, none for a shorter copy. `now` is a monotonic clock, in milliseconds. */
export function createProgressLines(
  write: (line: string) => void,
  now: () => number,
): (progress: CopyProgress) => void {
  let quietUntil = now() + PAUSE_MS;
  return (progress) => {
    if (now() < quietUntil) return;
    quietUntil = now() + PAUSE_MS;
    const { remaining } = progress;
    write(`${countsOf(progress)}${remaining === undefined ? '' : `, ${remaining} still to be read`}`);
  };
}

function countsOf({ copied, present, overwritten, expired, left }: Omit<CopyProgress, 'remaining'>): string {
  return `${copied} copied, ${present} already there, ${overwritten} replaced, ${expired} expired, ${left} left out`;
}

/** Why a copy is refused, if it is. One server under two names is not recognized; such a copy changes nothing. */
export function copyRefusal(from: StoreChoice, to: StoreChoice): string | undefined {
  try {
    // Opening a missing file would create it, and copying nothing would succeed.
    if (from.kind === 'sqlite' && fileOf(from.path) === undefined)
      return `FROM: there is no file ${resolve(from.path)}`;
    return isSame(from, to) ? `FROM and TO are the same store, ${from.shown}` : undefined;
  } catch (error) {
    // For example, a folder of the path may not be read.
    return messageOf(error);
  }
}

function isSame(from: StoreChoice, to: StoreChoice): boolean {
  // The file of FROM exists.
  if (from.kind === 'sqlite' && to.kind === 'sqlite') return fileOf(from.path) === fileOf(to.path);
  if (from.kind === 'postgres' && to.kind === 'postgres') return databaseOf(from) === databaseOf(to);
  if (from.kind === 'etcd' && to.kind === 'etcd') {
    return from.prefix === to.prefix && from.endpoints.some((endpoint) => to.endpoints.includes(endpoint));
  }
  return false;
}

function fileOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

function databaseOf({ connectionString, schema = 'kube_vitals' }: Extract<StoreChoice, { kind: 'postgres' }>): string {
  const { hostname, port, pathname, searchParams } = new URL(connectionString);
  // As pg reads it: with a socket, the port is a parameter as well.
  const at = searchParams.get('port') || port || '5432';
  return [hostname, at, pathname, searchParams.get('host'), schema].join(' ');
}
