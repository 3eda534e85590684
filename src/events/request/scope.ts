import { resourceAttributes, isWatchRoot, readRequestInfo } from '../../api/request-info.js';
import type { ResourceAttributes } from '../../auth/contract.js';
import { first, flag } from '../../api/options/query.js';
import type { Query } from '../../http/url.js';
import { parseFieldSelector } from '../../api/selectors/field-selector.js';
import { badRequest, methodNotAllowed, routeNotFound } from '../../api/status/failures.js';
import { pathSegmentErrors } from '../../api/validation/names.js';
import type { RequestObservation } from '../../observe/observation.js';
import type { EventVersion } from '../versions/version.js';

/** The meaning of a path below a served group-version, before anything is known about the caller. */
export interface Scope {
  readonly group: string;
  readonly version: string;
  /** `''` for all namespaces. */
  readonly namespace: string;
  /** Whether the path has a segment for the namespace that is empty, as from a client whose namespace is `''`. */
  readonly lacksNamespace: boolean;
  /** The item's name; `''` for a collection. */
  readonly name: string;
  /** `''` if the request is not an operation on events. */
  readonly verb: Verb | '';
  readonly attributes: ResourceAttributes;
  /** True when the path ends with the events collection or an item in it. */
  readonly routed: boolean;
}

/** The operations of the Event resource, by their names in Kubernetes' access rules. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

const RESOURCE = 'events';

/** Whether a decoded path belongs to a version. In the core group, which others serve too: only the paths of events. */
export function ownsPath({ group, version }: EventVersion, path: string): boolean {
  const root = group === '' ? `/api/${version}` : `/apis/${group}`;
  if (!path.startsWith(root) || (path.length > root.length && path[root.length] !== '/')) return false;
  if (group !== '' || path.length <= root.length + 1) return true;
  const { resource, verb } = readRequestInfo('GET', path, false);
  return resource === RESOURCE && verb !== 'proxy';
}

/** Returns undefined for documents about the API. A selector with too many terms counts as selecting no single name. */
export function scopeOf(
  method: string,
  path: string,
  query: Query,
  versions: readonly EventVersion[],
  maxSelectorTerms?: number,
): Scope | undefined {
  const info = readRequestInfo(method, path, query.size > 0 && flag(query, 'watch') === true);
  const { isResourceRequest, apiGroup: group, apiVersion: version, namespace, resource, name } = info;
  if (resource === 'watch' && isWatchRoot(path)) return undefined;
  if (!isResourceRequest || (group === '' && !versions.some((each) => each.group === ''))) return undefined;
  const fieldSelector = query.size > 0 ? first(query, 'fieldSelector') : undefined;
  const served = fieldSelector ? servedAs(group, version, versions) : undefined;
  const selectedName = fieldSelector && served ? exactName(fieldSelector, served, maxSelectorTerms) : '';
  const isProxy = info.verb === 'proxy';
  return {
    group,
    version,
    namespace,
    lacksNamespace: namespace === '' && path.includes('/namespaces//'),
    name,
    verb: isProxy ? '' : (info.verb as Verb | ''),
    attributes: resourceAttributes(info, selectedName),
    // One trailing slash is ignored, two make a different path.
    routed: resource === RESOURCE && info.parts.length <= 2 && !isProxy && !path.endsWith('//'),
  };
}

export function servedAs(group: string, version: string, versions: readonly EventVersion[]): EventVersion | undefined {
  return versions.find((each) => each.group === group && each.version === version);
}

function exactName(fieldSelector: string, { selectable }: EventVersion, maxSelectorTerms?: number): string {
  try {
    return parseFieldSelector(fieldSelector, selectable, maxSelectorTerms).exact('metadata.name') ?? '';
  } catch {
    return ''; // a bad selector is reported where it is used
  }
}

/** Returns the version and the verb that a scope is routed to. @throws StatusFailure 400, 404, 405 */
export function routeOf(
  scope: Scope,
  method: string,
  versions: readonly EventVersion[],
): { readonly version: EventVersion; readonly verb: Verb } {
  const version = servedAs(scope.group, scope.version, versions);
  if (!version || !scope.routed) throw routeNotFound();
  const { verb, name, namespace, lacksNamespace } = scope;
  const onItem = name !== '';
  if (namespace === '' && (onItem || (verb !== 'list' && verb !== 'watch'))) {
    if (lacksNamespace) throw badRequest('Namespace parameter required.');
    // Events are namespaced: no method supports such a path.
    throw onItem ? routeNotFound() : methodNotAllowed();
  }
  if (verb === '' || method === 'HEAD' || (verb === 'watch' && method !== 'GET')) throw methodNotAllowed();
  const itemVerb = verb === 'get' || verb === 'update' || verb === 'patch' || verb === 'delete';
  if (verb !== 'watch' && onItem !== itemVerb) throw methodNotAllowed();
  return { version, verb };
}

/** Requires that a name in the path is a valid segment. @throws StatusFailure 400 */
export function requirePathName(name: string): void {
  if (name === '') return;
  const wrong = pathSegmentErrors(name)[0];
  if (wrong) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${wrong}`);
}

/** Returns the value of kube-apiserver's metric label `scope`. */
export function reportedScope(scope: Scope | undefined): RequestObservation['scope'] {
  if (scope?.routed !== true) return '';
  if (scope.name !== '' || scope.verb === 'create') return 'resource';
  return scope.namespace === '' ? 'cluster' : 'namespace';
}
