import type { EventSelection } from '../contract/events-client.js';

/** Those that are undefined are left out. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

export type EventPaths = ReturnType<typeof createPaths>;

export function createPaths(group: string) {
  const root = `/apis/${group}/v1`;
  const collection = (namespace: string | null | undefined): string =>
    namespace === null || namespace === undefined
      ? `${root}/events`
      : `${root}/namespaces/${segment(namespace, 'namespace')}/events`;
  return {
    collection: (namespace: string, query: QueryParameters): string => collection(namespace) + queryText(query),
    /** The selected events, of all namespaces where none is given. */
    selection: ({ namespace, fieldSelector, labelSelector }: EventSelection, query: QueryParameters): string =>
      collection(namespace) +
      queryText({ ...query, fieldSelector: fieldSelector || undefined, labelSelector: labelSelector || undefined }),
    event: (namespace: string, name: string | undefined, query: QueryParameters = {}): string =>
      `${collection(namespace)}/${segment(name, 'name')}${queryText(query)}`,
  };
}

/** The end of an error's message where a server has no such path: the group of this path, which may be a wrong one. */
export function groupHint(url: string): string {
  const version = /^\/apis\/([^/]+\/[^/]+)\//.exec(url)?.[1];
  return version === undefined ? '' : ` (does it serve ${version}? set the option group)`;
}

/** True for a text that UTF-8 can represent: one without half of a surrogate pair. */
export const isWellFormed = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed();

/** @throws TypeError for texts that proxies and servers would take for another path */
function segment(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new TypeError(`the ${what} must be a non-empty string that is neither "." nor ".." and has no "/" or "%"`);
  }
  return encoded(value, what);
}

/** @throws TypeError instead of the URIError of `encodeURIComponent` */
function encoded(value: string | number | boolean, what: string): string {
  if (typeof value === 'string' && !isWellFormed(value))
    throw new TypeError(`the ${what} must have no lone surrogates`);
  return encodeURIComponent(value);
}

function queryText(query: QueryParameters): string {
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    text += `${text === '' ? '?' : '&'}${name}=${encoded(value, name)}`;
  }
  return text;
}
