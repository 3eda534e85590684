import { Worker } from 'node:worker_threads';
import type { Clock } from '../../clock/clock.js';
import { storeError, type StoreError } from '../contract/errors.js';
import { createDelays } from '../../clock/backoff.js';
import type { EngineOptions } from './options.js';
import type { FromWorker, RequestKind, ToWorker, WorkerStart } from './serve.js';

/** An engine that answers messages, wherever it runs. */
export interface EngineHost {
  /**
   * Sends a message and resolves with the answer. Fails with `unavailable` when the engine cannot be opened or was lost
   * before the message reached it, and with `lost` when it was lost afterwards.
   */
  send(kind: RequestKind, body: ArrayBuffer): Promise<ArrayBuffer>;
  /** Closes the database when everything that was sent is answered. */
  close(): Promise<void>;
}

interface Pending {
  readonly kind: RequestKind;
  readonly resolve: (body: ArrayBuffer) => void;
  readonly reject: (error: StoreError) => void;
}

interface Request extends Pending {
  readonly body: ArrayBuffer;
}

/** Where the worker's program is: beside this file, in the ESM build for both. */
function workerUrl(): URL {
  return new URL('./sqlite-worker.js', import.meta.url);
}

function lost(kind: RequestKind, path: string, reason: string): StoreError {
  const text = `the thread that has the database file ${path} open has ended: ${reason}`;
  return kind === 'write' ? storeError('unknown-outcome', text) : storeError('unavailable', text);
}

/**
 * Runs the engine in a worker thread, so that the service's event loop does not wait for the disk. The worker keeps the
 * process alive only while something is asked of it. When it cannot open the file, or ends, a later call starts another.
 */
export function createWorkerHost(options: EngineOptions, clock: Clock): EngineHost {
  const { path } = options;
  let worker: Worker | undefined;
  let ready = false;
  let lastId = 0;
  /** Sent, and not yet answered. */
  const sent = new Map<number, Pending>();
  /** Waiting for the file to be open. */
  const waiting: Request[] = [];
  let failure: { readonly error: StoreError; readonly until: number } | undefined;
  /** After a failed opening calls fail at once for this long. */
  const pauses = createDelays();
  let closing = false;
  let ended: Promise<void> = Promise.resolve();

  const keepAlive = (): void => {
    if (sent.size > 0 || waiting.length > 0 || closing) worker?.ref();
    else worker?.unref();
  };

  const deliver = (running: Worker, { kind, body, resolve, reject }: Request): void => {
    const id = ++lastId;
    sent.set(id, { kind, resolve, reject });
    const message: ToWorker = { kind, id, body };
    running.postMessage(message, [body]);
  };

  /** The worker is gone, or of no use: nothing more comes from it. */
  const giveUp = (gone: Worker, reason: string, openingFailed?: string): void => {
    if (worker !== gone) return;
    worker = undefined;
    if (!ready) {
      const error = storeError('unavailable', openingFailed ?? lost('read', path, reason).message);
      failure = { error, until: clock.monotonic() + pauses.next() };
      for (const request of waiting.splice(0)) request.reject(error);
    }
    ready = false;
    const unanswered = [...sent.values()];
    sent.clear();
    for (const { kind, reject } of unanswered) reject(lost(kind, path, reason));
  };

  const start = (): void => {
    failure = undefined;
    ready = false;
    const data: WorkerStart = { options, now: clock.now() };
    const running = new Worker(workerUrl(), { workerData: data, execArgv: [], name: 'kube-vitals sqlite' });
    worker = running;
    running.unref();
    running.on('message', (message: FromWorker) => {
      switch (message.kind) {
        case 'ready':
          ready = true;
          pauses.reset();
          for (const request of waiting.splice(0)) deliver(running, request);
          break;
        case 'failed':
          giveUp(running, message.message, message.message);
          break;
        case 'answer': {
          const pending = sent.get(message.id);
          sent.delete(message.id);
          pending?.resolve(message.body);
          break;
        }
      }
      keepAlive();
    });
    running.on('error', (error: unknown) => {
      giveUp(running, error instanceof Error ? error.message : String(error));
    });
    ended = new Promise((resolve) => {
      running.on('exit', (code) => {
        giveUp(running, `exit code ${code}`);
        resolve();
      });
    });
  };
  start();

  return {
    send: (kind, body) =>
      new Promise((resolve, reject) => {
        if (worker === undefined) {
          if (failure !== undefined && clock.monotonic() < failure.until) {
            reject(failure.error);
            return;
          }
          start();
        }
        const request: Request = { kind, body, resolve, reject };
        if (ready && worker !== undefined) deliver(worker, request);
        else waiting.push(request);
        keepAlive();
      }),
    async close() {
      closing = true;
      if (worker !== undefined) {
        keepAlive();
        // Messages arrive in order, so this one comes after everything that was sent; a worker that is still opening
        // the file reads it when it is done.
        worker.postMessage({ kind: 'close' } satisfies ToWorker);
      }
      await ended;
    },
  };
}
