import {
  deleteOptionsShape,
  apiResourceListShape,
  listMetaShape,
  patchShape,
  statusShape,
  watchEventShape,
} from '../schema/meta-shapes.js';
import type { StructShape } from '../schema/shape.js';
import { resourcePaths } from './operations.js';
import { define, reference, type Json, type KindName } from './schemas.js';

export interface OpenApiDocumentOptions {
  /** Empty for core. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly shape: StructShape;
}

/** The OpenAPI 3.0 document of one group and version: what `kubectl explain`, `create` and `apply` read. */
export function openApiDocument(options: OpenApiDocumentOptions): Json {
  const { group, version, plural, kind, shape } = options;
  const gvk: KindName = { group, kind, version };
  const list = `${shape.definition}List`;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const definitions = new Map<string, Json>();
  define(definitions, shape, [gvk]);
  defineMeta(definitions, group, version);
  definitions.set(list, listSchema(gvk, shape));
  const paths = resourcePaths(root, { gvk, plural, object: shape.definition, list });
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

function listSchema(gvk: KindName, shape: StructShape): Json {
  return {
    description: `A list of objects of kind ${gvk.kind}.`,
    type: 'object',
    required: ['items'],
    properties: {
      kind: { description: 'The kind of object this is.', type: 'string' },
      apiVersion: { description: 'Group and version this form of the object belongs to.', type: 'string' },
      metadata: {
        description: 'Version of the list, and where its next page begins.',
        allOf: [reference(listMetaShape().definition)],
        default: {},
      },
      items: {
        description: 'The objects.',
        type: 'array',
        items: { allOf: [reference(shape.definition)], default: {} },
      },
    },
    'x-kubernetes-group-version-kind': [{ ...gvk, kind: `${gvk.kind}List` }],
  };
}
