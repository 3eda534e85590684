import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const OTHER_DIRECTORY = 'choose another directory with --data-dir';
/** The name of a temporary file that an interrupted write left behind: that of the file and a UUID. */
const LEFTOVER =
  /^(admin-token|kubeconfig|revisions|(ca|server)\.(key|crt))\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LEFTOVER_MS = 60_000;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is exceeded',
  EEXIST: 'there is a file of that name',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a directory',
  ENOENT: 'nothing can be created there',
};

/** Makes a directory that only its owner may read. `hint` is advice for the operator after a failure. */
export async function preparePrivateDirectory(dir: string, hint: string = OTHER_DIRECTORY): Promise<void> {
  await makeDirectory(dir, hint);
  for (const name of await readdir(dir).catch(() => [])) {
    if (LEFTOVER.test(name)) await removeLeftover(join(dir, name)).catch(() => undefined);
  }
}

/** Readers see the old or the new content, whenever the machine stops. A failed write leaves only the old file. */
export async function writePrivateFile(path: string, content: string, hint: string = OTHER_DIRECTORY): Promise<void> {
  await makeDirectory(dirname(path), hint);
  // This lets a start on a full disk succeed.
  if ((await readIfThere(path, hint)) === content) return;
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600, flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw explained(`cannot write ${path}`, error, hint);
  }
}

export async function readIfThere(path: string, hint: string = OTHER_DIRECTORY): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw explained(`cannot read ${path}`, error, hint);
  }
}

async function makeDirectory(dir: string, hint: string): Promise<void> {
  try {
    await makeWithParents(resolve(dir));
  } catch (error) {
    throw explained(`cannot create the directory ${dir}`, error, hint);
  }
}

/** Without `recursive`: mkdir would report ENOENT where a directory is not writable, and never end below `/proc`. */
async function makeWithParents(dir: string): Promise<void> {
  try {
    await mkdir(dir, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(dir) !== dir) {
      await makeWithParents(dirname(dir));
      await mkdir(dir, { mode: 0o700 });
      return;
    }
    // A read-only file system may report EROFS for a directory that exists.
    const found = await stat(dir).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  }
}

async function removeLeftover(path: string): Promise<void> {
  // A newer one may belong to a process that is just starting.
  if (Date.now() - (await stat(path)).mtimeMs > LEFTOVER_MS) await rm(path, { force: true });
}

function explained(what: string, error: unknown, hint: string): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const words = Object.hasOwn(REASONS, code) ? `${REASONS[code]} (${code})` : code || message;
  return new Error(`${what}: ${words}; ${hint}`, { cause: error });
}
