/** What a signal begins. */
export interface ShutdownOptions {
  /** The sequence; never rejects. */
  readonly shutdown: () => Promise<{ readonly drained: boolean; readonly failures: readonly unknown[] }>;
  readonly log: (line: string) => void;
  readonly exit: (code: number) => void;
}

/**
 * Runs the shutdown sequence on the first SIGTERM or SIGINT and ends the process with 0, or 1 when a step failed. A second
 * signal ends it at once.
 */
export function shutDownOnSignals({ shutdown, log, exit }: ShutdownOptions): void {
  let begun = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (begun) {
      log(`${signal} again: ending at once`);
      exit(1);
      return;
    }
    begun = true;
    log(`${signal}: shutting down`);
    void shutdown().then(({ drained, failures }) => {
      log(drained ? 'ended' : 'ended; some connections had to be cut');
      exit(failures.length === 0 ? 0 : 1);
    });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
