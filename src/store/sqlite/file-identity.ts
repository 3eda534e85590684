import { statSync, type Stats } from 'node:fs';

/** Also an Error: a folder that may not be read does not prove that the file is gone. */
const statOf = (path: string): Stats | Error | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return error as Error;
  }
};

export type FileIdentity = ReturnType<typeof createFileIdentity>;

/** Checks whether the files at their paths are still those of a database that has just been opened. */
export function createFileIdentity(path: string) {
  let file: Stats | undefined;
  let log: Stats | undefined;
  let size = 0;
  let cut = false;

  const compare = (seen: Stats | undefined, found: Stats | Error | undefined, what: string): string | undefined => {
    if (seen === undefined) return undefined;
    if (found instanceof Error) return `${what} cannot be looked up: ${found.message}`;
    const advice = 'stop the service, put the right files in place, and start it';
    if (found === undefined) return `${what} was removed while it was open: ${advice}`;
    if (found.ino !== seen.ino || found.dev !== seen.dev) return `${what} was replaced while it was open: ${advice}`;
    return undefined;
  };

  const check = (): string | undefined => {
    const found = statOf(path);
    // SQLite creates the log with the first write.
    const foundLog = statOf(`${path}-wal`);
    const problem = compare(file, found, 'it') ?? compare(log, foundLog, 'its log');
    if (problem !== undefined || found instanceof Error || foundLog instanceof Error) return problem;
    cut ||= found !== undefined && found.size < size;
    size = Math.max(size, found?.size ?? 0);
    file ??= found;
    log ??= foundLog;
    return undefined;
  };
  check();

  return {
    /** What is wrong, as the end of a sentence about the database file; `undefined`: nothing. */
    problem: (): string | undefined => check(),
    /** The connection was closed, and the next one may have another log. */
    resetLog(): void {
      log = undefined;
    },
    /** Whether the file has become shorter: it was truncated from outside. */
    wasCut: (): boolean => cut,
  };
}
