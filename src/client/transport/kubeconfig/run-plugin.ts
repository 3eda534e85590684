import type { Readable } from 'node:stream';
import { untilAborted } from '../../../clock/abortable.js';
import { CollectedBytes } from '../../../http/bytes.js';
import { callHook } from '../../../observe/call-hook.js';
import { kubeconfigFault } from './read-values.js';

/** A program that returns credentials, as a kubeconfig describes it. */
export interface PluginCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Part of the error if the program is not found. */
  readonly installHint: string | undefined;
  readonly onOutput: ((text: string) => void) | undefined;
}

const MAX_OUTPUT_BYTES = 1_048_576;
const MAX_STDERR_BYTES = 65_536;
/** How long a program's own children may keep its output open after its end, in milliseconds: they may never close it. */
const DRAIN_MS = 500;

/** Runs a program without a shell and returns its output. Errors name only the program: the rest may be secret. */
export async function runPlugin(plugin: PluginCommand, signal: AbortSignal): Promise<string> {
  const [{ spawn }, { env }] = await Promise.all([import('node:child_process'), import('node:process')]);
  signal.throwIfAborted();
  const name = `the program ${JSON.stringify(plugin.command)}`;
  const notStarted = ({ code = 'unknown' }: NodeJS.ErrnoException): Error =>
    kubeconfigFault(`${name} could not be started (${code})`);
  const start = () => {
    try {
      return spawn(plugin.command, plugin.args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        shell: false,
        windowsHide: true,
        env: { ...env, ...plugin.env },
      });
    } catch (error) {
      // Its text repeats an argument, or a variable of the environment.
      throw notStarted(error as NodeJS.ErrnoException);
    }
  };
  const child = start();
  // Absent where the process has no file descriptors left.
  const { stdout, stderr }: { readonly stdout?: Readable; readonly stderr?: Readable } = child;
  const stderrText = collect(stderr, MAX_STDERR_BYTES);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ended = new Promise<string>((resolve, reject) => {
    const fail = (message: string): void => reject(kubeconfigFault(`${name} ${message}`));
    const written = collect(stdout, MAX_OUTPUT_BYTES, () => fail(`wrote more than ${MAX_OUTPUT_BYTES} bytes`));
    timer = setTimeout(() => fail(`did not end within ${plugin.timeoutMs} ms`), plugin.timeoutMs);
    child.once('error', (error: NodeJS.ErrnoException) => {
      const hint = plugin.installHint === undefined ? '' : `. ${plugin.installHint}`;
      if (error.code === 'ENOENT') fail(`was not found${hint}`);
      else reject(notStarted(error));
    });
    const end = (code: number | null, killed: NodeJS.Signals | null): void => {
      if (code === 0) resolve(written());
      else fail(killed === null ? `ended with exit code ${code}` : `was ended by ${killed}`);
    };
    child.once('close', end);
    child.once('exit', (code, killed) => {
      clearTimeout(timer);
      // After a last look at the pipes, which an event loop that was busy may not have read.
      timer = setTimeout(() => setImmediate(end, code, killed), DRAIN_MS).unref();
    });
  });
  try {
    return await untilAborted(ended, signal);
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    stdout?.destroy();
    stderr?.destroy();
    void callHook(() => plugin.onOutput?.(stderrText()));
  }
}

/** Keeps the first `max` bytes of a stream, and gives them as text. */
function collect(stream: Readable | undefined, max: number, onMore: () => void = () => undefined): () => string {
  const kept = new CollectedBytes();
  stream?.on('data', (chunk: Uint8Array) => {
    const piece = chunk.subarray(0, max - kept.length);
    kept.add(piece);
    if (piece.byteLength < chunk.byteLength) onMore();
  });
  return () => new TextDecoder().decode(kept.joined());
}
