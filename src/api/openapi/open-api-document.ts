import {
  deleteOptionsShape,
  apiResourceListShape,
  listMetaShape,
  patchShape,
  statusShape,
  TYPE_META,
  watchEventShape,
} from '../schema/meta-shapes.js';
import { groupVersionPath, type TypeMeta } from '../decode/type-meta.js';
import { list, struct, typed } from '../schema/facts.js';
import type { StructShape } from '../schema/shape.js';
import { resourcePaths } from './operations.js';
import { define, type Json } from './schemas.js';

export interface OpenApiDocumentOptions extends TypeMeta {
  readonly plural: string;
  readonly shape: StructShape;
}

/** The OpenAPI 3.0 document of one group and version: what `kubectl explain`, `create` and `apply` read. */
export function openApiDocument(options: OpenApiDocumentOptions): Json {
  const { group, version, plural, kind, shape } = options;
  const gvk: TypeMeta = { group, kind, version };
  const listed = listShape(kind, shape);
  const definitions = new Map<string, Json>();
  define(definitions, shape, [gvk]);
  defineMeta(definitions, group, version);
  define(definitions, listed, [{ ...gvk, kind: listed.name }]);
  const facts = { gvk, plural, object: shape.definition, list: listed.definition };
  const paths = resourcePaths(groupVersionPath(gvk), facts);
  const schemas = Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
  const securitySchemes = {
    BearerToken: { description: 'Bearer token', type: 'apiKey', name: 'authorization', in: 'header' },
  };
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths,
    components: { schemas, securitySchemes },
  };
}

function defineMeta(definitions: Map<string, Json>, group: string, version: string): void {
  const inCore = (kind: string) => [{ group: '', kind, version: 'v1' }];
  // Kinds of all groups have a name in plain `v1` and one in the group and version.
  const inAll = (kind: string) =>
    group === '' && version === 'v1' ? inCore(kind) : [...inCore(kind), { group, kind, version }];
  define(definitions, listMetaShape());
  define(definitions, patchShape());
  define(definitions, statusShape(), inCore('Status'));
  define(definitions, apiResourceListShape(), inCore('APIResourceList'));
  define(definitions, watchEventShape(), inAll('WatchEvent'));
  define(definitions, deleteOptionsShape(), inAll('DeleteOptions'));
}

/** Named, because Kubernetes gives the items of such a list no list type. */
function listShape(kind: string, shape: StructShape): StructShape {
  const about = 'Version of the list, and where its next page begins.';
  const description = `A list of objects of kind ${kind}.`;
  return struct(
    { name: `${kind}List`, definition: `${shape.definition}List`, description },
    {
      ...TYPE_META,
      metadata: typed(listMetaShape(), 1, about, { presence: 'always' }),
      items: typed(list(shape, { named: true }), 2, 'The objects.', { required: true }),
    },
  );
}
