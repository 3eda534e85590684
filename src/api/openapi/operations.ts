import type { TypeMeta } from '../decode/type-meta.js';
import { acceptedPatchTypes } from '../patch/apply-patch.js';
import { COLLECTION_MEDIA_TYPES, OBJECT_MEDIA_TYPES } from '../representation/media-types.js';
import {
  deleteOptionsShape,
  apiResourceListShape,
  patchShape,
  statusShape,
  watchEventShape,
} from '../schema/meta-shapes.js';
import { reference, type Json } from './schemas.js';

const query = (name: string, type: 'string' | 'integer' | 'boolean', description: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
});

const path = (name: string, description: string): Json => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const NAMESPACE: Json = path('namespace', 'the namespace of the objects');

const PRETTY: Json = query('pretty', 'string', 'When true, JSON is indented.');

const DRY_RUN = query(
  'dryRun',
  'string',
  'With All, nothing is stored, and the response is the one that the request would get.',
);
const FIELD_MANAGER = query(
  'fieldManager',
  'string',
  'The name of whoever makes the change: printable characters, at most 128 bytes.',
);
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'How unknown and duplicate fields are treated: Ignore (no message), Warn (a warning, the default) or Strict (an error).',
);

const WRITE_PARAMETERS: readonly Json[] = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];

/** Options of patch. Clients look for `fieldValidation` here before they rely on the server's validation. */
const PATCH_PARAMETERS: readonly Json[] = [
  ...WRITE_PARAMETERS,
  query('force', 'boolean', 'Only for server-side apply: takes over fields that others manage.'),
];

/** Read from the query only if a delete request has no body. */
const DELETE_PARAMETERS: readonly Json[] = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'Seconds before the removal.'),
  query('orphanDependents', 'boolean', 'Older form of propagationPolicy.'),
  query('propagationPolicy', 'string', 'What happens to dependents: Orphan, Background or Foreground.'),
];

/** The first is for watches only. */
const LIST_PARAMETERS: readonly Json[] = [
  query('allowWatchBookmarks', 'boolean', 'Whether a watch may contain bookmarks, which give its position.'),
  query('continue', 'string', 'Where a page begins: the token of the page before.'),
  query('fieldSelector', 'string', 'Only objects whose fields have these values.'),
  query('labelSelector', 'string', 'Only objects with such labels.'),
  query('limit', 'integer', 'The most items of a page.'),
  query('order', 'string', 'With newest-first, a list is ordered by descending resourceVersion. Not for watches.'),
  query('resourceVersion', 'string', 'The version to read, or to watch from.'),
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch begins with the existing objects, ended by a bookmark.'),
  query('timeoutSeconds', 'integer', 'How long a list may take, or a watch lasts.'),
];

const WATCH: Json = query('watch', 'boolean', 'Respond with a stream of changes instead of a list.');

export interface OperationFacts {
  readonly gvk: TypeMeta;
  readonly plural: string;
  readonly object: string;
  readonly list: string;
}

const DESCRIPTIONS = { '200': 'OK', '201': 'Created', '202': 'Accepted' } as const;
type Code = keyof typeof DESCRIPTIONS;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const contentOf = (types: readonly string[], definition: string): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: reference(definition) }]));

function responsesOf(types: readonly string[], definition: string, ...codes: readonly Code[]): Json {
  const content = contentOf(types, definition);
  const responses = codes.map((code) => [code, { description: DESCRIPTIONS[code], content }] as const);
  return { ...Object.fromEntries(responses), '401': { description: 'Unauthorized' } };
}

/** All paths of a namespaced resource below `root` (`/apis/GROUP/VERSION`), those of the older watches included. */
export function resourcePaths(root: string, facts: OperationFacts): Readonly<Record<string, Json>> {
  const { gvk, plural, object, list } = facts;
  const { kind, version } = gvk;
  const group = gvk.group === '' ? 'core' : (gvk.group.split('.')[0] as string);
  const plain = (verb: string, what: string, description: string, more: Json): Json => ({
    tags: [`${group}_${version}`],
    description,
    // `Events` for `events.example.com`, `Core` for the core group.
    operationId: `${verb}${capital(group)}${capital(version)}${what}`,
    ...more,
  });
  const operation = (action: string, ...parts: Parameters<typeof plain>): Json => ({
    ...plain(...parts),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
  });
  const one = `Namespaced${kind}`;
  const listed = { responses: responsesOf(COLLECTION_MEDIA_TYPES, list, '200') };
  const listing = `list or watch objects of kind ${kind}`;
  const watched = { responses: responsesOf(COLLECTION_MEDIA_TYPES, watchEventShape().definition, '200') };
  const watching = `watch ${kind}; older form of a list with watch=true`;
  const written = (...codes: readonly Code[]): Json => responsesOf(OBJECT_MEDIA_TYPES, object, ...codes);
  const objectResponses = (...codes: readonly Code[]): Json =>
    responsesOf(OBJECT_MEDIA_TYPES, statusShape().definition, ...codes);
  const write = {
    parameters: WRITE_PARAMETERS,
    requestBody: { content: contentOf(OBJECT_MEDIA_TYPES, object), required: true },
  };
  const deleteBody = { content: contentOf(OBJECT_MEDIA_TYPES, deleteOptionsShape().definition) };
  const name = path('name', `name of the ${kind}`);
  const reading = [...LIST_PARAMETERS, PRETTY, WATCH];
  const namespaced = `namespaces/{namespace}/${plural}`;
  return {
    [`${root}/`]: {
      get: plain('get', 'APIResources', 'get available resources', {
        responses: responsesOf(OBJECT_MEDIA_TYPES, apiResourceListShape().definition, '200'),
      }),
    },
    [`${root}/${plural}`]: {
      get: operation('list', 'list', `${kind}ForAllNamespaces`, listing, listed),
      parameters: reading,
    },
    [`${root}/${namespaced}`]: {
      get: operation('list', 'list', one, listing, { parameters: [...LIST_PARAMETERS, WATCH], ...listed }),
      post: operation('post', 'create', one, `create a ${kind}`, { ...write, responses: written('200', '201', '202') }),
      delete: operation('deletecollection', 'delete', `Collection${one}`, `delete collection of ${kind}`, {
        parameters: [...LIST_PARAMETERS.slice(1), ...DELETE_PARAMETERS],
        requestBody: deleteBody,
        responses: objectResponses('200'),
      }),
      parameters: [NAMESPACE, PRETTY],
    },
    [`${root}/${namespaced}/{name}`]: {
      get: operation('get', 'read', one, `read the specified ${kind}`, { responses: written('200') }),
      put: operation('put', 'replace', one, `replace the specified ${kind}`, {
        ...write,
        responses: written('200', '201'),
      }),
      delete: operation('delete', 'delete', one, `delete a ${kind}`, {
        parameters: DELETE_PARAMETERS,
        requestBody: deleteBody,
        responses: objectResponses('200', '202'),
      }),
      patch: operation('patch', 'patch', one, `partially update the specified ${kind}`, {
        parameters: PATCH_PARAMETERS,
        requestBody: { content: contentOf(acceptedPatchTypes, patchShape().definition), required: true },
        responses: written('200', '201'),
      }),
      parameters: [name, NAMESPACE, PRETTY],
    },
    [`${root}/watch/${plural}`]: {
      get: operation('watchlist', 'watch', `${kind}ListForAllNamespaces`, watching, watched),
      parameters: reading,
    },
    [`${root}/watch/${namespaced}`]: {
      get: operation('watchlist', 'watch', `${one}List`, watching, watched),
      parameters: [NAMESPACE, ...reading],
    },
    [`${root}/watch/${namespaced}/{name}`]: {
      get: operation('watch', 'watch', one, watching, watched),
      parameters: [name, NAMESPACE, ...reading],
    },
  };
}
