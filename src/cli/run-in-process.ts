import process from 'node:process';
import type { EndSignal, ProcessContext } from './command-line/command.js';

/**
 * Runs a program in this process and ends it with the exit code: the one file that reads and ends the process.
 *
 * @param program resolves to the exit code
 */
export async function runInProcess(
  program: (argv: readonly string[], context: ProcessContext) => Promise<number>,
): Promise<void> {
  const context: ProcessContext = {
    stdout: process.stdout,
    stderr: process.stderr,
    pid: process.pid,
    colour: process.stdout.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
    onSignal(listener) {
      const signals: readonly EndSignal[] = ['SIGINT', 'SIGTERM'];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
  };
  // Whoever read the output has had enough, such as `head`.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
  // Keeps the process alive while a command waits for unreferenced timers only, such as those of a store that retries.
  const untilEnded = setInterval(() => undefined, 1_000_000_000);

  const code = await program(process.argv.slice(2), context);
  clearInterval(untilEnded);
  process.exitCode = code;
  // After the output has reached the pipe; handles that a command has left open are not waited for.
  process.stdout.write('', () => process.exit());
}
