import type { Clock } from '../../../clock/clock.js';
import { connectionError } from '../../contract/errors.js';

/** How long the content of a file is used, as Kubernetes' clients do: it is replaced long before it expires. */
const MAX_AGE_MS = 60_000;
/** After a refusal it is read again, but not more often than this. */
const MIN_AGE_MS = 1_000;

/** A file that others replace, such as a token that a kubelet renews. */
export interface FileContent {
  /** The content, read again when it is older than a minute. A file that cannot be read again keeps its last content. */
  read(): Promise<string>;
  /** The content was refused: it is read again when it is next needed. */
  expire(): void;
}

/** Reads a file when its content is needed. `what` names it in errors, `clean` says what to take of it. */
export function createFileContent(
  path: string,
  what: string,
  clock: Clock,
  clean: (text: string) => string = (text) => text,
): FileContent {
  let known: { readonly text: string; readonly at: number } | undefined;
  let reading: Promise<string> | undefined;
  let maxAgeMs = MAX_AGE_MS;

  const load = async (): Promise<string> => {
    try {
      const { readFile } = await import('node:fs/promises');
      const text = clean(await readFile(path, 'utf8'));
      if (text === '') throw new Error('it is empty');
      known = { text, at: clock.monotonic() };
    } catch (error) {
      if (known === undefined) {
        throw connectionError(`${what} cannot be read: ${(error as Error).message}`, false, error);
      }
      known = { ...known, at: clock.monotonic() };
    } finally {
      maxAgeMs = MAX_AGE_MS;
      reading = undefined;
    }
    return known.text;
  };
  return {
    read() {
      if (known !== undefined && clock.monotonic() - known.at < maxAgeMs) return Promise.resolve(known.text);
      return (reading ??= load());
    },
    expire() {
      maxAgeMs = MIN_AGE_MS;
    },
  };
}
