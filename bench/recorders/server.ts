import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A standalone server at one address, with its events on disk. */
export interface ComparedServer {
  readonly kubeconfig: string;
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Ends it and deletes its data. */
  remove(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const START_MS = 60_000;

/** Starts a server as a cluster has it: `events.k8s.io` over TLS, without limits, so that what is measured are the clients. */
export async function startServer(dataDir: string, port: number): Promise<ComparedServer> {
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  };
  const server: ComparedServer = {
    kubeconfig: join(dataDir, 'kubeconfig'),
    async start() {
      const flags = ['--api-domain', 'k8s.io', '--limits=off', '--data-dir', dataDir, '--insecure-port', 'off'];
      const store = ['--store', `sqlite:${join(dataDir, 'events.db')}`, '--secure-port', String(port)];
      child = spawn(process.execPath, ['dist/cli.js', 'serve', ...flags, ...store], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const started = child;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('the server does not start')), START_MS);
        let output = '';
        started.stdout?.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          if (!output.includes('Ctrl-C ends it.')) return;
          clearTimeout(timer);
          resolve();
        });
        started.once('close', (code) => reject(new Error(`the server ended with ${code}`)));
      });
    },
    kill,
    async remove() {
      await kill();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
