import { fork, type ChildProcess } from 'node:child_process';
import { compile } from './compile.js';

/** Calls from the harness to one of its processes, over Node's IPC channel. */
interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

type Methods = Readonly<Record<string, (params: never) => unknown>>;

/** The side of the process: handles calls until the harness has ended, then ends the process. */
export function answerCalls(methods: Methods): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => void answer(message as Call));
  process.send?.({ id: 0 } satisfies Reply);

  async function answer({ id, method, params }: Call): Promise<void> {
    try {
      const run = methods[method];
      if (!run) throw new Error(`no method ${method}`);
      process.send?.({ id, result: await run(params as never) } satisfies Reply);
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? error.message : String(error) } satisfies Reply);
    }
  }
}

/** A process of the harness. */
export interface Worker {
  readonly process: ChildProcess;
  /** Fails when the process ends, the method throws, or `limitMs` have passed. */
  call<T>(method: string, params: unknown, limitMs: number): Promise<T>;
  /** Ends the process and waits until it is gone. May be called twice. */
  stop(): Promise<void>;
}

const START_LIMIT_MS = 30_000;

/** Starts a file of this folder in a new process and waits until it accepts calls. */
export async function startWorker(
  file: string,
  args: readonly string[] = [],
  nodeFlags: readonly string[] = [],
): Promise<Worker> {
  const child = fork(await compile(file), args, {
    execArgv: [...nodeFlags],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastWords = '';
  let ended = false;
  let ids = 0;
  child.stderr?.on('data', (text: Buffer) => {
    lastWords = (lastWords + text.toString()).slice(-2_000);
  });
  const over = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = true;
      const error = new Error(`${file} ended (${signal ?? code}): ${reason(lastWords)}`);
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
      resolve();
    });
  });
  child.on('message', (message) => {
    const { id, result, error } = message as Reply;
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  });
  const expect = <T>(id: number, what: string, limitMs: number): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (ended) return reject(new Error(`${file} has ended: ${reason(lastWords)}`));
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`${what} took more than ${limitMs} ms`));
      }, limitMs);
      waiting.set(id, {
        resolve: (value) => (clearTimeout(timer), resolve(value as T)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      });
    });
  const stop = async (): Promise<void> => {
    if (!ended) child.kill('SIGKILL');
    await over;
  };
  try {
    await expect(0, `start of ${file}`, START_LIMIT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    process: child,
    async call<T>(method: string, params: unknown, limitMs: number): Promise<T> {
      const id = ++ids;
      const reply = expect<T>(id, `${file} ${method}`, limitMs);
      if (!ended) child.send({ id, method, params } satisfies Call);
      return reply;
    },
    stop,
  };
}

/** The line of an uncaught error with its message. */
function reason(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? 'no message';
}
