import type { ChildProcess } from 'node:child_process';
import { joinBytes } from '../../../http/bytes.js';
import { kubeconfigFault } from './read-values.js';

/** A program that gives credentials, as a kubeconfig describes it. */
export interface PluginCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** What to install where the program is absent. */
  readonly installHint: string | undefined;
  readonly onOutput: ((text: string) => void) | undefined;
}

const MAX_OUTPUT_BYTES = 1_048_576;
const MAX_TOLD_BYTES = 65_536;
const MAX_HINT = 500;

/**
 * Runs a program without a shell, and gives what it wrote to its standard output. Errors name the program, and neither its
 * arguments nor what it wrote, which may be secret.
 *
 * @param signal ends the program
 */
export async function runPlugin(plugin: PluginCommand, signal: AbortSignal): Promise<string> {
  const [{ spawn }, { env }] = await Promise.all([import('node:child_process'), import('node:process')]);
  signal.throwIfAborted();
  const name = `the program ${JSON.stringify(plugin.command)}`;
  const child = spawn(plugin.command, plugin.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
    env: { ...env, ...plugin.env },
  });
  const output = collect(child);
  try {
    return await new Promise<string>((resolve, reject) => {
      const fail = (message: string): void => reject(kubeconfigFault(`${name} ${message}`));
      const timer = setTimeout(() => fail(`did not end within ${plugin.timeoutMs} ms`), plugin.timeoutMs);
      const leave = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', leave, { once: true });
      output.onTooMuch(() => fail(`wrote more than ${MAX_OUTPUT_BYTES} bytes`));
      child.once('error', (error: NodeJS.ErrnoException) => {
        const hint = plugin.installHint === undefined ? '' : `. ${plugin.installHint.slice(0, MAX_HINT)}`;
        fail(error.code === 'ENOENT' ? `was not found${hint}` : `could not be started (${error.code ?? 'unknown'})`);
      });
      child.once('close', (code, killed) => {
        if (code === 0) resolve(output.written());
        else fail(killed === null ? `ended with exit code ${code}` : `was ended by ${killed}`);
      });
      child.once('close', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
      });
    });
  } finally {
    child.kill('SIGKILL');
    child.stdout?.destroy();
    child.stderr?.destroy();
    plugin.onOutput?.(output.told());
  }
}

/** What a program writes. */
function collect(child: ChildProcess) {
  const written: Uint8Array[] = [];
  const told: Uint8Array[] = [];
  let length = 0;
  let toldLength = 0;
  let tooMuch: () => void = () => undefined;
  child.stdout?.on('data', (chunk: Uint8Array) => {
    length += chunk.byteLength;
    if (length > MAX_OUTPUT_BYTES) tooMuch();
    else written.push(chunk);
  });
  child.stderr?.on('data', (chunk: Uint8Array) => {
    const part = chunk.subarray(0, MAX_TOLD_BYTES - toldLength);
    toldLength += part.byteLength;
    if (part.byteLength > 0) told.push(part);
  });
  const text = (pieces: readonly Uint8Array[]): string => new TextDecoder().decode(joinBytes(pieces));
  return {
    written: () => text(written),
    told: () => text(told),
    onTooMuch(callback: () => void): void {
      tooMuch = callback;
    },
  };
}
