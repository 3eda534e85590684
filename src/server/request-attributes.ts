import type { Attributes } from '../auth/contract.js';

/** A query as `parseQuery` gives it. */
type Query = ReadonlyMap<string, readonly string[]>;

/** Sub-objects of a namespace that are not resources in it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);
/** First segments behind the version that are verbs of old. */
const SPECIAL_VERBS: ReadonlySet<string> = new Set(['proxy', 'watch']);

/**
 * How Kubernetes reads a request towards its authorizer: `/api/VERSION/…` and `/apis/GROUP/VERSION/…` ask for a
 * resource, also of groups that are not served; everything else asks for a path, with the lower-case method as the verb.
 *
 * @param path decoded
 */
export function requestAttributes(method: string, path: string, query: Query): Attributes {
  const plain: Attributes = { verb: method.toLowerCase(), path };
  const parts = path.replace(/^\/+/, '').split('/');
  while (parts.length > 0 && parts.at(-1) === '') parts.pop();
  const prefix = parts.shift();
  if (prefix !== 'api' && prefix !== 'apis') return plain;
  if (parts.length < (prefix === 'api' ? 2 : 3)) return plain;
  const group = prefix === 'api' ? '' : (parts.shift() ?? '');
  const version = parts.shift() ?? '';
  const special = SPECIAL_VERBS.has(parts[0] ?? '') ? parts.shift() : undefined;

  const inNamespaces = parts[0] === 'namespaces';
  const namespace = inNamespaces ? parts[1] : undefined;
  if (inNamespaces && parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] ?? '')) parts.splice(0, 2);
  const [resource = '', name = '', third] = parts;
  const subresource = special === undefined ? third : undefined;
  const verb = special ?? verbOf(method, name !== '', query);
  const selected = name || (verb === 'list' || verb === 'watch' ? selectedName(query) : '');
  return {
    verb,
    group,
    version,
    resource,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    ...(selected && { name: selected }),
  };
}

function verbOf(method: string, named: boolean, query: Query): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (named) return 'get';
      return wantsWatch(query) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      return '';
  }
}

function wantsWatch(query: Query): boolean {
  const value = query.get('watch')?.[0];
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
}

/** A field selector on the name gives a collection request its name, so that access rules for one object hold. */
function selectedName(query: Query): string {
  const term = /^metadata\.name==?([^,=\\]+)$/.exec(query.get('fieldSelector')?.[0] ?? '');
  return term?.[1] ?? '';
}
