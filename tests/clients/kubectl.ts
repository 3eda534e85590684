import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** How a command ended. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs until it is stopped, such as `get -w`. */
export interface Following {
  /** Resolves to the first line of output, from the beginning, that matches; rejects when the command ends without it. */
  readonly line: (pattern: RegExp) => Promise<string>;
  readonly lines: () => readonly string[];
  /** Resolves once stderr matches; rejects when the command ends without it. */
  readonly says: (pattern: RegExp) => Promise<void>;
  /** Ends it, unless it has ended already. */
  readonly stop: () => Promise<Finished>;
  readonly ended: Promise<Finished>;
}

/** What a command may be given besides its arguments. */
export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** One kubectl with a home, a discovery cache and a folder for temporary files that nobody has used before. */
export interface Kubectl {
  /** Rejects, with what it wrote, when it does not end. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Finished>;
  /** Rejects, with what it wrote to stderr, unless it ends with 0. Resolves to stdout. */
  readonly ok: (args: readonly string[], options?: RunOptions) => Promise<string>;
  readonly follow: (args: readonly string[]) => Following;
  readonly home: string;
}

/** What {@link createKubectl} needs. */
export interface KubectlOptions {
  readonly binary: string;
  readonly kubeconfigPath: string;
  /** The folder to make its home in. */
  readonly directory: string;
}

/** Longer than any command here takes; one that hangs is ended, and fails its test with what it wrote until then. */
const LIMIT_MS = 15_000;

export function createKubectl({ binary, kubeconfigPath, directory }: KubectlOptions): Kubectl {
  const home = mkdtempSync(join(directory, 'kubectl-'));
  mkdirSync(join(home, 'tmp'));
  const always = ['--kubeconfig', kubeconfigPath, '--cache-dir', join(home, 'cache')];

  const start = (args: readonly string[], { stdin, env }: RunOptions = {}): ReturnType<typeof gather> => {
    const child = spawn(binary, [...args, ...always], {
      // Of the environment only PATH, which finds programs: no KUBECONFIG, no proxy.
      env: { PATH: process.env['PATH'], HOME: home, TMPDIR: join(home, 'tmp'), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    return gather(child);
  };

  const run: Kubectl['run'] = async (args, options) => {
    const { child, ended } = start(args, options);
    let hung = false;
    const limit = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, LIMIT_MS);
    const finished = await ended.finally(() => clearTimeout(limit));
    if (!hung) return finished;
    const wrote = finished.stderr + finished.stdout;
    throw new Error(`kubectl ${args.join(' ')} did not end within ${LIMIT_MS} ms, and wrote: ${wrote}`);
  };

  return {
    run,
    home,
    async ok(args, options) {
      const { code, stdout, stderr } = await run(args, options);
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
      return stdout;
    },
    follow(args) {
      const { child, ended, lines, log, onData } = start(args);
      const until = <T>(what: RegExp, find: () => T | undefined): Promise<T> =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const found = find();
            if (found !== undefined) resolve(found);
          };
          onData(look);
          look();
          void ended.then(({ stdout, stderr }) =>
            reject(new Error(`kubectl ${args.join(' ')} ended without ${what}: ${stdout}${stderr}`)),
          );
        });
      return {
        lines,
        ended,
        line: (pattern) => until(pattern, () => lines().find((line) => pattern.test(line))),
        says: async (pattern) => void (await until(pattern, () => pattern.test(log()) || undefined)),
        stop: () => {
          child.kill('SIGTERM');
          return ended;
        },
      };
    },
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

interface Gathered {
  readonly child: Child;
  readonly ended: Promise<Finished>;
  /** Complete lines only. */
  readonly lines: () => readonly string[];
  readonly log: () => string;
  readonly onData: (listener: () => void) => void;
}

function gather(child: Child): Gathered {
  let [stdout, stderr] = ['', ''];
  const listeners: (() => void)[] = [];
  const tell = (): void => listeners.forEach((listener) => listener());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    tell();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    tell();
  });
  return {
    child,
    lines: () => stdout.split('\n').slice(0, -1),
    log: () => stderr,
    onData: (listener) => void listeners.push(listener),
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    }),
  };
}
