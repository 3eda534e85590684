/** Query parameters; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where the events of a group are, and what their paths are. */
export interface EventPaths {
  /** Of all events of a namespace, or with `undefined` of all namespaces. */
  collection(namespace: string | undefined, query?: Query): string;
  /** Of one event. */
  event(namespace: string, name: string, query?: Query): string;
}

/** Paths below `/apis/<group>/v1`. */
export function createPaths(group: string): EventPaths {
  const root = `/apis/${group}/v1`;
  const collection = (namespace: string | undefined): string =>
    namespace === undefined ? `${root}/events` : `${root}/namespaces/${segment(namespace, 'namespace')}/events`;
  return {
    collection: (namespace, query) => collection(namespace) + queryText(query),
    event: (namespace, name, query) => `${collection(namespace)}/${segment(name, 'name')}${queryText(query)}`,
  };
}

/** @throws TypeError for what no path can carry: proxies and servers would take it for another path */
function segment(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new TypeError(`the ${what} must be a non-empty string that is neither "." nor ".." and has no "/" or "%"`);
  }
  return encodeURIComponent(value);
}

function queryText(query: Query | undefined): string {
  let text = '';
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}
