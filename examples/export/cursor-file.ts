import { readFile, rename, writeFile } from 'node:fs/promises';

/** Keeps the cursor of an export in a file, for receivers that cannot keep it. */
export interface CursorFile {
  read(): Promise<string | undefined>;
  write(cursor: string): Promise<void>;
}

/** The file is replaced as a whole, so that it is never half a cursor. */
export function cursorFile(path: string): CursorFile {
  return {
    async read() {
      try {
        return (await readFile(path, 'utf8')).trim() || undefined;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(cursor) {
      await writeFile(`${path}.new`, `${cursor}\n`, { flush: true });
      await rename(`${path}.new`, path);
    },
  };
}
