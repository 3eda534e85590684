export type StoreChoice = { readonly shown: string; readonly password?: string } & (
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly connectionString: string; readonly schema: string | undefined }
  | EtcdChoice
);

interface EtcdChoice {
  readonly kind: 'etcd';
  readonly endpoints: readonly string[];
  readonly prefix: string | undefined;
  readonly username: string | undefined;
  readonly files: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** Whether events are stored in this process or on this disk, not by a server that others may share. */
export function isLocal({ kind }: StoreChoice): boolean {
  return kind === 'memory' || kind === 'sqlite';
}

export function sqliteAt(path: string): StoreChoice {
  return { kind: 'sqlite', path, shown: path };
}

/** Reads `memory`, `sqlite:PATH`, `postgres://…` or `etcd://HOST:PORT,…/PREFIX`. No error repeats a password. */
export function parseStoreUrl(text: string): StoreChoice {
  if (text === 'memory') return { kind: 'memory', shown: 'memory' };
  if (text.startsWith('sqlite:')) return parseSqlite(text.slice('sqlite:'.length));
  if (/^postgres(ql)?:\/\//.test(text)) return parsePostgres(text);
  if (/^etcds?:\/\//.test(text)) return parseEtcd(text);
  throw new Error('must be memory, sqlite:PATH, postgres://…, or etcd://HOST:PORT,HOST:PORT/PREFIX');
}

export function withoutSecrets(text: string): string {
  return /[@?]/.test(text) ? `${/^[a-z]*:(\/\/)?/.exec(text)?.[0] ?? ''}…` : text;
}

/** A filter for logged lines: a driver's message may repeat its arguments. */
export function passwordFilter({ password }: Pick<StoreChoice, 'password'>): (line: string) => string {
  if (password === undefined) return (line) => line;
  const forms = [encodeURIComponent(password), password];
  return (line) => forms.reduce((rest, form) => rest.replaceAll(form, '***'), line);
}

function parseSqlite(path: string): StoreChoice {
  if (path === '') throw new Error('sqlite: needs a path, as in sqlite:/var/lib/shop/events.db');
  if (path === ':memory:') throw new Error('for a database in memory, use --store=memory');
  if (/^(\/\/[^/]|file:)/.test(path))
    throw new Error('the path follows the colon: sqlite:events.db or sqlite:/var/lib/events.db');
  return sqliteAt(path);
}

function parsePostgres(text: string): StoreChoice {
  if (!URL.canParse(text)) fail('is not a URL such as postgres://user@host:5432/database?schema=kube_vitals');
  const url = new URL(text);
  const password = decoded(url.password) || (url.searchParams.get('password') ?? '');
  const schema = url.searchParams.get('schema') ?? undefined;
  if (schema === '') throw new Error('schema= needs a name');
  const user = url.username === '' ? '' : `${url.username}@`;
  const shown = `postgres://${user}${url.host}${url.pathname}`;
  // pg would take it for one of its parameters.
  url.searchParams.delete('schema');
  const connectionString = schema === undefined ? text : url.href;
  return { kind: 'postgres', connectionString, schema, shown, ...(password !== '' && { password }) };
}

const ETCD = /^(etcds?):\/\/(?:([^/?#@]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const HOST = /^(?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/;
const FILES = ['ca', 'cert', 'key'] as const;

function parseEtcd(text: string): StoreChoice {
  const match = ETCD.exec(text);
  if (match === null) throw new Error('is not a URL such as etcd://10.0.0.1:2379,10.0.0.2:2379/shop/events');
  const [, scheme = '', credentials = '', hosts = '', path = '', query = ''] = match;
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].filter((key) => !(FILES as readonly string[]).includes(key));
  if (unknown.length > 0) throw new Error(`accepts the parameters ${FILES.join(', ')}, not ${unknown.join(', ')}`);
  if (scheme === 'etcd' && query !== '') throw new Error('certificates are for etcds://, which speaks TLS');
  const colon = credentials.indexOf(':');
  const username = decoded(colon < 0 ? credentials : credentials.slice(0, colon));
  const password = colon < 0 ? '' : decoded(credentials.slice(colon + 1));
  // The store would sign in without either.
  if (username === '' && password !== '') fail('a password needs a user: etcd://USER:PASSWORD@HOST:PORT');
  const prefix = path.replace(/\/+$/, '');
  return {
    kind: 'etcd',
    endpoints: hosts.split(',').map((host) => endpoint(scheme, host)),
    prefix: prefix === '' ? undefined : prefix,
    username: username === '' ? undefined : username,
    files: Object.fromEntries(FILES.filter((name) => parameters.has(name)).map((name) => [name, parameters.get(name)])),
    shown: `${scheme}://${hosts}${prefix}`,
    ...(password !== '' && { password }),
  };
}

function endpoint(scheme: string, host: string): string {
  const [, port = '2379'] = HOST.exec(host) ?? fail('needs hosts in the form HOST:PORT,HOST:PORT');
  if (Number(port) < 1 || Number(port) > 65_535) fail(`${port} is not a port`);
  const name = host.replace(/:\d+$/, '');
  return `${scheme === 'etcds' ? 'https' : 'http'}://${name}:${Number(port)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail('a % in a name or password is written %25');
  }
}

function fail(what: string): never {
  throw new Error(what);
}
