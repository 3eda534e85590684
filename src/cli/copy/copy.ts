import { copyEvents, type CopyResult, type EventStore } from '../../index.js';
import type { EndSignal, ProcessContext } from '../command-line/command.js';
import { messageOf, openStore } from '../stores/open-store.js';
import { passwordFilter, type StoreChoice } from '../stores/store-url.js';
import { createLeftOut, countsOf, createProgressLines } from './report-lines.js';
import { copyRefusal } from './refusal.js';

/** What is copied where. */
export interface CopyTask {
  readonly from: StoreChoice;
  readonly to: StoreChoice;
  readonly overwrite: boolean;
  readonly skipRefused: boolean;
}

/** How long a store may take to answer for the first time. */
const OPENING_MS = 10_000;
/** What a shell adds to the number of a signal. */
const EXIT_CODES: Readonly<Record<EndSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Copies the events of one store into another. The first signal ends the copy after the writes that are under way, the second
 * at once.
 *
 * @returns the exit code, as the help of the command explains it
 */
export async function runCopy(task: CopyTask, { stdout, stderr, onSignal }: ProcessContext): Promise<number> {
  const filters = [passwordFilter(task.from), passwordFilter(task.to)];
  const write = (line: string): void => void stderr.write(`${filters.reduce((text, filter) => filter(text), line)}\n`);
  const refusal = copyRefusal(task.from, task.to);
  if (refusal !== undefined) {
    write(`error: ${refusal}`);
    return 2;
  }
  const ending = new AbortController();
  let stoppedBy: EndSignal | undefined;
  let stop = (): void => undefined;
  const stoppedAtOnce = new Promise<number>((resolve) => {
    stop = onSignal((signal) => {
      if (stoppedBy !== undefined) {
        resolve(EXIT_CODES[signal]);
        return;
      }
      stoppedBy = signal;
      write(`${signal}: stopping`);
      ending.abort(new Error(`stopped by ${signal}`));
    });
  });
  const work = copyBetween(task, write, ending.signal).then(
    (result) => {
      stdout.write(`${countsOf({ ...result, left: result.skipped.length })}\n`);
      return result.skipped.some(({ why }) => why === 'different') ? 1 : 0;
    },
    (error: unknown) => {
      if (stoppedBy === undefined) {
        write(`error: ${messageOf(error)}`);
        return 1;
      }
      write('stopped; what was copied stays, and the same command goes on from there');
      return EXIT_CODES[stoppedBy];
    },
  );
  return Promise.race([work, stoppedAtOnce]).finally(stop);
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
          `${to.shown} is not empty: equal events are left, different ones ${overwrite ? 'replaced' : 'left and listed'}`,
        );
      }
      const onProgress = createProgressLines(write, () => performance.now());
      const onSkipped = createLeftOut({ skipRefused, write });
      const result = await copyEvents(source, target, { overwrite, onProgress, onSkipped, signal }).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          throw new Error(`${messageOf(error)}; what was copied stays, and the same command goes on from there`, {
            cause: error,
          });
        },
      );
      if (!result.consistent)
        write('FROM was written to for so long that not all events are of one moment: run it again');
      return result;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Opens a store that answers. */
async function open(place: 'FROM' | 'TO', choice: StoreChoice, signal: AbortSignal): Promise<EventStore> {
  const store = await openStore(choice, undefined, place);
  try {
    await store.ping({ signal: AbortSignal.any([signal, AbortSignal.timeout(OPENING_MS)]) });
    return store;
  } catch (error) {
    await store.close();
    signal.throwIfAborted();
    throw new Error(`${place}: ${messageOf(error)}`, { cause: error });
  }
}
