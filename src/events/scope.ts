import type { Attributes } from '../auth/contract.js';

/** What a path below a served group-version asks for, before anything is known about the caller. */
export interface Scope {
  readonly group: string;
  readonly version: string;
  /** Path segments behind the version (and behind `watch/`). */
  readonly segments: readonly string[];
  /** `''` for all namespaces. */
  readonly namespace: string;
  /** The item's name; `''` for a collection. */
  readonly name: string;
  readonly verb: Verb | '';
  /** One of the old `/watch/` paths. */
  readonly legacyWatch: boolean;
  /** How the request is called towards the authorizer. */
  readonly attributes: Attributes;
  /** True when the path names the events collection or an item in it, and nothing behind. */
  readonly routed: boolean;
}

/** The operations of the Event resource, by the names Kubernetes gives them in access rules. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

const RESOURCE = 'events';

/**
 * Reads a path as Kubernetes does: method and shape give the verb, a field selector on `metadata.name` gives a
 * collection request its name.
 *
 * @param rest decoded segments behind the group-version
 */
export function readScope(
  method: string,
  group: string,
  version: string,
  rest: readonly string[],
  question: { readonly watch: boolean; readonly exactName: string },
): Scope {
  const legacyWatch = rest[0] === 'watch' && rest.length > 1;
  const segments = legacyWatch ? rest.slice(1) : rest;
  const below = segments[0] === 'namespaces' && segments.length > 1;
  const namespace = below ? (segments[1] ?? '') : '';
  const own = below && segments.length > 2 ? segments.slice(2) : segments;
  const trimmed = own.length > 1 && own.at(-1) === '' ? own.slice(0, -1) : own;
  const name = trimmed[1] ?? '';
  const verb = verbOf(method, name, legacyWatch, question.watch);
  return {
    group,
    version,
    segments: trimmed,
    namespace,
    name,
    verb,
    legacyWatch,
    routed: trimmed[0] === RESOURCE && trimmed.length <= 2 && (name !== '' || trimmed.length === 1),
    attributes: {
      verb,
      group,
      version,
      resource: trimmed[0] ?? '',
      ...(trimmed[2] !== undefined && { subresource: trimmed[2] }),
      ...(namespace && { namespace }),
      ...((name || collectionName(verb, question.exactName)) && { name: name || question.exactName }),
    },
  };
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
