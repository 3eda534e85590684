import { Worker } from 'node:worker_threads';
import type { Clock } from '../../clock/clock.js';
import { storeError, type StoreError } from '../contract/errors.js';
import type { Revision } from '../contract/record.js';
import { createDelays } from '../../clock/backoff.js';
import { messageOf } from '../../model/error-message.js';
import type { SyncStoreOptions } from './options.js';
import type { RequestKind, Requests, Responses } from './protocol.js';
import type { FromWorker, ToWorker, WorkerStart } from './respond.js';

export interface WorkerHost {
  /** Sends a message. Fails with `unavailable`, or after it was lost with `unknown-outcome` if it is a write. */
  send<Kind extends RequestKind>(kind: Kind, body: Requests[Kind]): Promise<Responses[Kind]>;
  /** The latest revision when the file was first opened; undefined: it is not open. */
  readonly first: Revision | undefined;
  /** The latest revision that the thread has reported. */
  readonly latest: Revision | undefined;
  close(): Promise<void>;
}

interface Request {
  readonly kind: RequestKind;
  readonly resolve: (body: never) => void;
  readonly reject: (error: StoreError) => void;
}

const IN_A_BUNDLE = 'when the service is bundled, keep kube-vitals external';

/** Beside this file, in the ESM build for both builds. A bundle in CommonJS does not know where it is. */
function program(): URL {
  try {
    return new URL('./sqlite-worker.js', import.meta.url);
  } catch {
    throw new TypeError(`sqliteStore: the program of its worker thread was not found: ${IN_A_BUNDLE}`);
  }
}

/**
 * Runs the store in a worker thread, so that the service's event loop does not wait for the disk. The worker keeps the
 * process alive only while a request is under way. When it cannot open the file, or ends, a later call starts another.
 */
export function createWorkerHost(options: SyncStoreOptions, clock: Clock): WorkerHost {
  let worker: Worker | undefined;
  /** Pending requests, in the order of their responses. A worker that is opening the file gets them afterwards. */
  const sent: Request[] = [];
  let failure: { readonly error: StoreError; readonly until: number } | undefined;
  /** After a failed opening calls fail at once for this long. */
  const pauses = createDelays();
  let closing = false;
  let first: Revision | undefined;
  let latest: Revision | undefined;
  let ended: Promise<void> = Promise.resolve();

  const keepAlive = (): void => {
    if (sent.length > 0 || closing) worker?.ref();
    else worker?.unref();
  };

  const start = (): Worker => {
    failure = undefined;
    let isOpen = false;
    let openingFailed: string | undefined;
    let thrown: string | undefined;
    const data: WorkerStart = { options, now: clock.now() };
    const running = new Worker(program(), { workerData: data, execArgv: [], name: 'kube-vitals sqlite' });
    running.on('message', (message: FromWorker) => {
      switch (message.kind) {
        case 'ready':
          isOpen = true;
          pauses.reset();
          latest = message.latest;
          first ??= latest;
          break;
        case 'failed':
          openingFailed = message.message;
          break;
        case 'response':
          latest = message.latest;
          sent.shift()?.resolve(message.body as never);
          keepAlive();
          break;
      }
    });
    running.on('error', (error: unknown) => {
      thrown = messageOf(error);
      // Its program, or a part of it, is not beside this file.
      if (String((error as { readonly code?: unknown } | undefined)?.code).endsWith('MODULE_NOT_FOUND'))
        thrown += ` (${IN_A_BUNDLE})`;
    });
    ended = new Promise((resolve) => {
      // By then every message of the worker has arrived.
      running.on('exit', (code) => {
        worker = undefined;
        const text = `the thread that has the database file ${options.path} open has ended: ${thrown ?? `exit code ${code}`}`;
        const lost = storeError('unavailable', openingFailed ?? text);
        if (!isOpen) failure = { error: lost, until: clock.monotonic() + pauses.next() };
        for (const { kind, reject } of sent.splice(0))
          reject(isOpen && kind === 'write' ? storeError('unknown-outcome', text) : lost);
        resolve();
      });
    });
    return running;
  };
  worker = start();
  keepAlive();

  return {
    get first() {
      return first;
    },
    get latest() {
      return latest;
    },
    send: (kind, body) =>
      new Promise((resolve, reject) => {
        if (worker === undefined && failure !== undefined && clock.monotonic() < failure.until)
          return reject(failure.error);
        worker ??= start();
        worker.postMessage({ kind, body } as ToWorker);
        sent.push({ kind, resolve, reject });
        keepAlive();
      }),
    async close() {
      closing = true;
      keepAlive();
      // Messages arrive in order, so this one comes after everything that was sent.
      worker?.postMessage({ kind: 'close' } satisfies ToWorker);
      await ended;
    },
  };
}
