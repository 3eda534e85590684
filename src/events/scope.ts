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

/** The operations of the Event resource, by the names Kubernetes gives them in access rules. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

const RESOURCE = 'events';

/**
 * Reads a path as Kubernetes does: method and shape give the verb, a field selector on `metadata.name` gives a
 * collection request its name.
 *
 * @param segments the decoded segments of the whole path
 * @param from where the segments behind the group-version begin
 */
export function readScope(
  method: string,
  group: string,
  version: string,
  { segments, from }: { readonly segments: readonly string[]; readonly from: number },
  question: { readonly watch: boolean; readonly exactName: string },
): Scope {
  let end = segments.length;
  const legacyWatch = segments[from] === 'watch' && end > from + 1;
  let at = legacyWatch ? from + 1 : from;
  let namespace = '';
  if (segments[at] === 'namespaces' && end > at + 1) {
    namespace = segments[at + 1] ?? '';
    if (end > at + 2) at += 2;
  }
  if (end > at + 1 && segments[end - 1] === '') end--;
  const part = (index: number): string | undefined => (at + index < end ? segments[at + index] : undefined);
  const resource = part(0) ?? '';
  const name = part(1) ?? '';
  const verb = verbOf(method, name, legacyWatch, question.watch);
  const attributes: { -readonly [Name in keyof ResourceAttributes]: ResourceAttributes[Name] } = {
    verb,
    group,
    version,
    resource,
  };
  const subresource = part(2);
  if (subresource !== undefined) attributes.subresource = subresource;
  if (namespace !== '') attributes.namespace = namespace;
  const asked = name || collectionName(verb, question.exactName);
  if (asked !== '') attributes.name = asked;
  const routed = resource === RESOURCE && end - at <= 2 && (name !== '' || end - at === 1);
  return { group, version, namespace, name, verb, legacyWatch, routed, attributes };
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
