import type { ProcessContext } from '../command-line/command.js';

/** How long requests in flight may take, in milliseconds. */
export const DRAIN_TIMEOUT_MS = 60_000;

interface ShutdownOptions extends Pick<ProcessContext, 'onSignal'> {
  /** Never rejects. */
  readonly shutdown: () => Promise<{ readonly drained: boolean; readonly failures: readonly unknown[] }>;
  readonly log: (line: string) => void;
}

/** Resolves to the exit code: 0, or 1 when a step failed or a second signal came. */
export function shutDownOnSignal({ shutdown, log, onSignal }: ShutdownOptions): Promise<number> {
  return new Promise((resolve) => {
    let begun = false;
    onSignal((signal) => {
      if (begun) {
        log(`${signal} again: ending at once`);
        resolve(1);
        return;
      }
      begun = true;
      log(`${signal}: shutting down`);
      void shutdown().then(({ drained, failures }) => {
        log(drained ? 'ended' : 'ended; some connections had to be cut');
        resolve(failures.length === 0 ? 0 : 1);
      });
    });
  });
}
