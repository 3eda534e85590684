import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The standalone server, running as a process of its own. */
export interface Standalone {
  /** `events.example.com`. */
  readonly group: string;
  /** `https://127.0.0.1:41234`. */
  readonly secureUrl: string;
  readonly insecureUrl: string;
  /** The file that the banner names. */
  readonly kubeconfigPath: string;
  /** A folder that lives as long as the server, for whatever a test has to write. */
  readonly directory: string;
  /** What it has written to stderr until now. */
  readonly log: () => string;
  /** Begins the shutdown without waiting for it. */
  readonly signal: () => void;
  /** The exit code; `null` when a signal killed it. */
  readonly exited: Promise<number | null>;
  /** Ends it with SIGTERM, unless it has ended already, and removes what it wrote. Resolves to the exit code. */
  readonly stop: () => Promise<number | null>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const BANNER =
  /^kube-vitals serves (\S+)\/v1 on (https:\S+) and (http:\S+)$[^]*?--kubeconfig (\S+) [^]*^Ctrl-C ends it\.$/m;

/** Starts the built server on free ports with these further flags; resolves once it has printed where it listens. */
export async function startStandalone(...flags: readonly string[]): Promise<Standalone> {
  const directory = await mkdtemp(join(tmpdir(), 'kube-vitals-'));
  const child = spawn(
    process.execPath,
    [
      ...['dist/cli.js', 'serve', '--secure-port', '0', '--insecure-port', '0'],
      ...['--data-dir', join(directory, 'data'), ...flags],
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  // 'close', not 'exit': all output has been read by then.
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    const code = await exited;
    process.off('exit', killWithUs);
    await rm(directory, { recursive: true, force: true });
    return code;
  };

  const banner = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.stdout.on('data', () => {
      const match = BANNER.exec(output);
      if (match !== null) resolve(match);
    });
    void exited.then((code) => reject(new Error(`the server ended with ${code} before it was ready: ${log}`)));
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const [, group = '', secureUrl = '', insecureUrl = '', kubeconfigPath = ''] = banner;
  return {
    ...{ group, secureUrl, insecureUrl, kubeconfigPath, directory, exited, stop },
    log: () => log,
    signal: () => void child.kill('SIGTERM'),
  };
}
