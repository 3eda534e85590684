import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownProcess } from './processes.js';
import { within } from './waiting.js';

/** The standalone server as a separate process, which can be stopped and started again on the same data. */
export interface Server {
  /** Its name in messages. */
  readonly name: string;
  /** `http://127.0.0.1:41234`; another one after every start. */
  readonly url: string;
  readonly pid: number | undefined;
  /** `Bearer …`, for the administrator. */
  readonly authorization: string;
  /** True from its banner until it ends. */
  readonly up: boolean;
  readonly dataDir: string;
  /** What all its processes have written to stderr. */
  readonly log: () => string;
  readonly start: () => Promise<void>;
  /** SIGKILL; resolves when the process is gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; resolves to the exit code. */
  readonly terminate: () => Promise<number | null>;
  /** Ends it, whatever its state, and deletes its data. */
  readonly remove: () => Promise<void>;
}

/** What a server is started with. */
export interface ServerOptions {
  readonly name: string;
  /** The value of `--store`; a function is given the data directory. */
  readonly store: string | ((dataDir: string) => string);
  readonly flags?: readonly string[];
  /** How far its wall clock is ahead of the machine's, in milliseconds. Default: 0. */
  readonly clockAheadMs?: number;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const BANNER = /^kube-vitals serves \S+\/v1 on https:\S+ and (http:\S+)$[^]*^Ctrl-C ends it\.$/m;
/** Generous: the machine may be busy. */
const START_MS = 90_000;

/** A module that sets the wall clock of a process. Timers use the monotonic clock, which stays right. */
const wrongClock = (aheadMs: number): string =>
  `data:text/javascript,const { now } = Date; Date.now = () => now() + ${aheadMs};`;

/** Makes a server; `start` it. The package has to be built. */
export async function createServer({ name, store, flags = [], clockAheadMs = 0 }: ServerOptions): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-vitals-engines-'));
  const clock = clockAheadMs === 0 ? [] : ['--import', wrongClock(clockAheadMs)];
  const storeFlag = typeof store === 'string' ? store : store(dataDir);
  let child: ChildProcess | undefined;
  let ended: Promise<number | null> = Promise.resolve(0);
  let url = 'http://127.0.0.1:1';
  let authorization = '';
  let up = false;
  let log = '';

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    up = false;
    child?.kill(signal);
    return ended;
  };

  return {
    name,
    dataDir,
    get url() {
      return url;
    },
    get pid() {
      return child?.pid;
    },
    get authorization() {
      return authorization;
    },
    get up() {
      return up;
    },
    log: () => log,
    async start() {
      const ports = ['--secure-port', '0', '--insecure-port', '0'];
      const all = [...ports, '--data-dir', dataDir, '--store', storeFlag, ...flags];
      const started = spawn(process.execPath, [...clock, 'dist/cli.js', 'serve', ...all], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      ownProcess(started);
      child = started;
      let output = '';
      started.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
      ended = new Promise((resolve) => started.once('close', resolve));
      void ended.then(() => {
        if (child === started) [child, up] = [undefined, false];
      });
      const banner = new Promise<string>((resolve, reject) => {
        started.stdout.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          const found = BANNER.exec(output)?.[1];
          if (found !== undefined) resolve(found);
        });
        void ended.then((code) => reject(new Error(`${name} ended with ${code} before it was ready: ${log}`)));
      });
      url = await within(START_MS, `the start of ${name}`, banner).catch(async (error: unknown) => {
        await end('SIGKILL');
        throw error;
      });
      authorization = `Bearer ${(await readFile(join(dataDir, 'admin-token'), 'utf8')).trim()}`;
      up = true;
    },
    async kill() {
      await end('SIGKILL');
    },
    terminate: () => end('SIGTERM'),
    async remove() {
      await end('SIGKILL');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
