import { isObject } from '../../../json/json-tree.js';
import { entriesOf, entryOf, kubeconfigFault, textOf, type Entry } from './read-values.js';

export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly currentContext: string | undefined;
}

/** Kubeconfigs of large organisations have some thousands of contexts. */
const MAX_FILE_BYTES = 16_777_216;
/** Programs that write YAML refer to an equal part, such as the `exec` of each user, by an alias. */
const MAX_ALIASES = 10_000;

/** The files that kubectl would read: those of `$KUBECONFIG`, or the one in the home folder. */
export async function defaultPaths(): Promise<readonly string[]> {
  const [{ env }, { delimiter, join }, { homedir }] = await Promise.all([
    import('node:process'),
    import('node:path'),
    import('node:os'),
  ]);
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  return listed.length > 0 ? [...new Set(listed)] : [join(homeFrom(homedir), '.kube', 'config')];
}

/** As for kubectl, the working directory is the home of a user who has none, as containers may run as any user. */
function homeFrom(homedir: () => string): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Reads several files. Those that are absent are left out; undefined when all are. */
export async function loadFiles(paths: readonly string[]): Promise<Kubeconfig | undefined> {
  const found = (await Promise.all(paths.map(readConfig))).filter((file) => file !== undefined);
  return found.length === 0 ? undefined : merge(found);
}

export async function loadText(text: string): Promise<Kubeconfig> {
  return merge([await parse(text, 'the text', undefined)]);
}

async function readConfig(path: string): Promise<Entry | undefined> {
  const [{ readFile, stat }, { dirname, resolve }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
  ]);
  try {
    if ((await stat(path)).size > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES} bytes`);
    return await parse(textIn(await readFile(path)), path, dirname(resolve(path)));
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    if (code === 'ENOENT') return undefined;
    throw message.startsWith('kubeconfig: ') ? error : kubeconfigFault(`${path} cannot be read: ${message}`);
  }
}

/** As for kubectl, a byte order mark decides: Windows PowerShell writes UTF-16 with one. */
function textIn(bytes: Uint8Array): string {
  const mark = (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)).toString(16);
  return new TextDecoder({ fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'utf-8').decode(bytes);
}

async function parse(text: string, what: string, folder: string | undefined): Promise<Entry> {
  if (text.includes('\0')) throw kubeconfigFault(`${what} is neither UTF-8 nor UTF-16 with a byte order mark`);
  const { parseDocument } = await import('yaml');
  // As in kubectl, the last one of several equal keys counts.
  const document = parseDocument(text, { merge: true, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const [fault] = document.errors;
  // The texts of these errors repeat the content.
  if (fault !== undefined) {
    const line = text.slice(0, fault.pos[0]).split('\n').length;
    throw kubeconfigFault(`${what} is not valid YAML: ${fault.code} in line ${line}`);
  }
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch {
    throw kubeconfigFault(`${what} is not valid YAML: it has an alias without an anchor, or too many aliases`);
  }
  if (!isObject(values)) throw kubeconfigFault(`${what} must be an object`);
  return { what, values, folder };
}

/** As in kubectl, if several files have an entry of the same name or a current context, the first one counts. */
function merge(files: readonly Entry[]): Kubeconfig {
  return {
    clusters: named(files, 'clusters', 'cluster'),
    users: named(files, 'users', 'user'),
    contexts: named(files, 'contexts', 'context'),
    currentContext: files.map((file) => textOf(file, 'current-context')).find((name) => name !== undefined),
  };
}

function named(files: readonly Entry[], list: string, kind: string): ReadonlyMap<string, Entry> {
  const all = new Map<string, Entry>();
  for (const file of files) {
    const own = new Set<string>();
    for (const item of entriesOf(file, list)) {
      const name = textOf(item, 'name') ?? '';
      if (own.has(name)) throw kubeconfigFault(`${file.what} has two ${list} with the name ${JSON.stringify(name)}`);
      own.add(name);
      const { values, folder } = entryOf(item, kind) ?? { values: {}, folder: file.folder };
      if (!all.has(name)) all.set(name, { what: `the ${kind} ${JSON.stringify(name)}`, values, folder });
    }
  }
  return all;
}
