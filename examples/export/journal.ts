import { open, type FileHandle } from 'node:fs/promises';
import type { EventSink } from 'kube-vitals/client';

const NEWLINE = 10;

/**
 * Exactly once: a file in which each line is a batch *with* its cursor, so that both are there or neither. A database does the same
 * with two statements in one transaction: INSERT the rows, UPDATE the cursor.
 */
export async function journalSink(path: string): Promise<EventSink & { close(): Promise<void> }> {
  const file = await open(path, 'a+');
  let cursor = await endOf(file);
  return {
    cursor: () => cursor,
    async write(events, next) {
      // An interrupted write leaves an incomplete line.
      if ((await endOf(file)) !== next) {
        await file.appendFile(`${JSON.stringify({ cursor: next, events })}\n`);
        await file.datasync();
      }
      cursor = next;
    },
    close: () => file.close(),
  };
}

/** The cursor of the last complete line. Anything after that line is cut off. */
async function endOf(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat();
  for (let at = size, tail = Buffer.alloc(0); at > 0;) {
    const length = Math.min(at, 65_536);
    at -= length;
    tail = Buffer.concat([(await file.read(Buffer.alloc(length), 0, length, at)).buffer, tail]);
    const end = tail.lastIndexOf(NEWLINE);
    const begin = end <= 0 ? -1 : tail.lastIndexOf(NEWLINE, end - 1);
    if (end < 0 || (begin < 0 && at > 0)) continue;
    const line = tail.toString('utf8', begin + 1, end);
    await file.truncate(at + end + 1);
    return (JSON.parse(line) as { readonly cursor: string }).cursor;
  }
  await file.truncate(0);
  return undefined;
}
