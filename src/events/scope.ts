import type { ResourceAttributes } from '../auth/contract.js';

/** What a path below a served group-version asks for, before anything is known about the caller. */
export interface Scope {
  readonly group: string;
  readonly version: string;
  /** `''` for all namespaces. */
  readonly namespace: string;
  /** The item's name; `''` for a collection. */
  readonly name: string;
  readonly verb: Verb | '';
  /** One of the old `/watch/` paths. */
  readonly legacyWatch: boolean;
  /** How the request is called towards the authorizer. */
  readonly attributes: ResourceAttributes;
  /** True when the path names the events collection or an item in it, and nothing behind. */
  readonly routed: boolean;
}

/** What the query says about the scope. */
export interface ScopeQuestion {
  readonly watch: boolean;
  /** The only name that a field selector lets through; `''` for none. */
  readonly exactName: string;
}

/** The operations of the Event resource, by the names Kubernetes gives them in access rules. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

const RESOURCE = 'events';
const WATCH = 'watch/';
const NAMESPACES = 'namespaces/';

/**
 * Reads a path as Kubernetes does: method and shape give the verb, a field selector on `metadata.name` gives a
 * collection request its name. By places in the text instead of a list of segments: a get takes 0.35 µs of 5.5 less.
 *
 * @param path decoded
 * @param from where the path goes on behind the group-version and its slash
 */
export function readScope(
  method: string,
  group: string,
  version: string,
  path: string,
  from: number,
  question: ScopeQuestion,
): Scope {
  const legacyWatch = path.startsWith(WATCH, from);
  let at = legacyWatch ? from + WATCH.length : from;
  let namespace = '';
  if (path.startsWith(NAMESPACES, at)) {
    const begin = at + NAMESPACES.length;
    const close = path.indexOf('/', begin);
    namespace = close < 0 ? path.slice(begin) : path.slice(begin, close);
    if (close >= 0) at = close + 1;
  }
  // One slash at the end says nothing, unless there is nothing before it.
  const stop = path.length > at && path.endsWith('/') ? path.length - 1 : path.length;
  const resourceEnd = segmentEnd(path, at, stop);
  const nameEnd = segmentEnd(path, resourceEnd + 1, stop);
  const resource = textBetween(path, at, resourceEnd);
  const name = resourceEnd < stop ? path.slice(resourceEnd + 1, nameEnd) : '';
  const verb = verbOf(method, name, legacyWatch, question.watch);
  const attributes: { -readonly [Name in keyof ResourceAttributes]: ResourceAttributes[Name] } = {
    verb,
    group,
    version,
    resource,
  };
  const nothingBehind = resourceEnd >= stop || nameEnd >= stop;
  if (!nothingBehind) attributes.subresource = path.slice(nameEnd + 1, segmentEnd(path, nameEnd + 1, stop));
  if (namespace !== '') attributes.namespace = namespace;
  const asked = name || collectionName(verb, question.exactName);
  if (asked !== '') attributes.name = asked;
  const routed = resource === RESOURCE && nothingBehind && (name !== '' || resourceEnd >= stop);
  return { group, version, namespace, name, verb, legacyWatch, routed, attributes };
}

function segmentEnd(path: string, from: number, stop: number): number {
  const end = path.indexOf('/', from);
  return end < 0 || end > stop ? stop : end;
}

/** The resource; the one there is without making a text. */
function textBetween(path: string, from: number, end: number): string {
  return end - from === RESOURCE.length && path.startsWith(RESOURCE, from) ? RESOURCE : path.slice(from, end);
}

const collectionName = (verb: string, exactName: string): string =>
  verb === 'list' || verb === 'watch' || verb === 'deletecollection' ? exactName : '';

function verbOf(method: string, name: string, legacyWatch: boolean, watch: boolean): Verb | '' {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (legacyWatch) return 'watch';
      if (name) return 'get';
      return watch ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name ? 'delete' : 'deletecollection';
    default:
      return '';
  }
}
