import { flag, type Query } from '../api/options/query.js';
import { parseFieldSelector } from '../api/selectors/field-selector.js';
import { badRequest, methodNotAllowed, routeNotFound } from '../api/status/failures.js';
import { pathSegmentErrors } from '../api/validation/names.js';
import { readScope, type Scope, type Verb } from './scope.js';
import type { EventVersion } from './versions/version.js';

/** Where a version's paths begin. */
export function rootOf(version: EventVersion): string {
  return version.group === '' ? `/api/${version.version}` : `/apis/${version.group}`;
}

/**
 * Whether a decoded path belongs to a version: all below its group; in the core group, which others serve too, only
 * `/api/v1` itself and what begins like events.
 */
export function ownsPath(version: EventVersion, path: string): boolean {
  const root = rootOf(version);
  if (!path.startsWith(root)) return false;
  const rest = path.slice(root.length);
  return version.group === '' ? CORE_PATH.test(rest) : rest === '' || rest.startsWith('/');
}

const CORE_PATH = /^(\/?$|\/(watch\/)?(namespaces\/[^/]*\/)?events(\/|$))/;

/** The scope of a resource path; undefined for documents about the API. */
export function scopeOf(
  method: string,
  path: string,
  query: Query,
  versions: readonly EventVersion[],
): Scope | undefined {
  const segments = path.split('/');
  const prefix = segments[1];
  if (prefix !== 'api' && prefix !== 'apis') return undefined;
  const group = prefix === 'api' ? '' : (segments[2] ?? '');
  const from = prefix === 'api' ? 3 : 4;
  const version = segments[from - 1] ?? '';
  if (group === '' && !versions.some((each) => each.group === '')) return undefined;
  if (segments.length <= from || (segments.length === from + 1 && segments[from] === '')) return undefined;
  const served = versions.find((each) => each.group === group && each.version === version);
  const question = {
    watch: flag(query, 'watch') ?? false,
    exactName: served ? exactName(query.get('fieldSelector')?.[0] ?? '', served.selectable) : '',
  };
  return readScope(method, group, version, { segments, from }, question);
}

function exactName(fieldSelector: string, selectable: ReadonlyMap<string, string>): string {
  if (fieldSelector === '') return '';
  try {
    return parseFieldSelector(fieldSelector, selectable).exact('metadata.name') ?? '';
  } catch {
    return ''; // a bad selector is reported where it is used
  }
}

/** What a request is routed to. */
export interface Route {
  readonly version: EventVersion;
  readonly verb: Verb;
}

/** The route of a scope. @throws StatusError 404, 405 */
export function routeOf(scope: Scope, method: string, versions: readonly EventVersion[]): Route {
  const version = versions.find((each) => each.group === scope.group && each.version === scope.version);
  if (!version || !scope.routed) throw routeNotFound();
  const { verb, name, namespace, legacyWatch } = scope;
  if (verb === '' || method === 'HEAD') throw methodNotAllowed();
  if (legacyWatch && method !== 'GET') throw methodNotAllowed();
  const onItem = name !== '';
  const itemVerb = verb === 'get' || verb === 'update' || verb === 'patch' || verb === 'delete';
  if (verb !== 'watch' && onItem !== itemVerb) throw methodNotAllowed();
  if (namespace === '' && !onItem && verb !== 'list' && verb !== 'watch') throw methodNotAllowed();
  return { version, verb };
}

/** A name in the path must be one segment. @throws StatusError 400 */
export function requireName(name: string): void {
  const [wrong] = name === '' ? [] : pathSegmentErrors(name);
  if (wrong) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${wrong}`);
}
