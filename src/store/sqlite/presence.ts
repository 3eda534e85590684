import { statSync, type Stats } from 'node:fs';

/** Whether the files at their paths are still those that a connection has open. */
export interface Presence {
  /** What is wrong, for the end of a sentence about the database file; `undefined`: nothing. */
  problem(): string | undefined;
  /** The log may be another one: the connection is closed. */
  forgetLog(): void;
  /** The file has become shorter than it was: it was truncated from outside. */
  wasCut(): boolean;
}

interface Seen {
  readonly dev: number;
  readonly ino: number;
}

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder that cannot be read shows nothing; neither does it say that the file is gone.
    return undefined;
  }
};

/** Looks at the files of a database that has just been opened. */
export function createPresence(path: string): Presence {
  const logPath = `${path}-wal`;
  let file: Seen | undefined;
  let log: Seen | undefined;
  let size = 0;
  let cut = false;

  const compare = (seen: Seen | undefined, found: Seen | undefined, what: string): string | undefined => {
    if (seen === undefined) return undefined;
    const advice = 'stop the service, put the right files in place, and start it';
    if (found === undefined) return `${what} was removed while it was open: ${advice}`;
    if (found.ino !== seen.ino || found.dev !== seen.dev) return `${what} was replaced while it was open: ${advice}`;
    return undefined;
  };

  const look = (): string | undefined => {
    const found = statOf(path);
    // SQLite makes the log with the first write.
    const foundLog = statOf(logPath);
    const problem = compare(file, found, 'it') ?? compare(log, foundLog, 'its log');
    if (problem !== undefined) return problem;
    if (found !== undefined) {
      if (found.size < size) cut = true;
      else size = found.size;
      file ??= { dev: found.dev, ino: found.ino };
    }
    if (foundLog !== undefined) log ??= { dev: foundLog.dev, ino: foundLog.ino };
    return undefined;
  };
  look();

  return {
    problem: look,
    forgetLog() {
      log = undefined;
    },
    wasCut: () => cut,
  };
}
