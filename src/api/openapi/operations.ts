import { META_DEFINITIONS } from './meta-schemas.js';
import {
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  NAMESPACE,
  nameParameter,
  PATCH_PARAMETERS,
  PRETTY,
  WATCH,
  WRITE_PARAMETERS,
} from './parameters.js';
import { reference, type Json, type KindName } from './schemas.js';

/** A namespaced resource, as its operations describe it. */
export interface OperationFacts {
  readonly gvk: KindName;
  readonly plural: string;
  /** Names of the definitions of the object and of its list. */
  readonly object: string;
  readonly list: string;
  /** Content types of patches. */
  readonly patchTypes: readonly string[];
}

const OBJECT_TYPES = ['application/json', 'application/yaml'];
const LIST_TYPES = [...OBJECT_TYPES, 'application/json;stream=watch'];

/** The group in operation ids: `Events` for `events.example.com`, `Core` for the core group. */
function idPrefix({ group, version }: KindName): string {
  const first = group === '' ? 'core' : (group.split('.')[0] as string);
  return capital(first) + capital(version);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const contentOf = (types: readonly string[], definition: string): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: reference(definition) }]));

const answer = (types: readonly string[], definition: string, description: string): Json => ({
  description,
  content: contentOf(types, definition),
});

const UNAUTHORIZED: Json = { '401': { description: 'Unauthorized' } };

/** All paths of a namespaced resource below `root` (`/apis/GROUP/VERSION`). */
export function resourcePaths(root: string, facts: OperationFacts): Readonly<Record<string, Json>> {
  const { plural, gvk } = facts;
  const name = nameParameter(gvk.kind);
  const all = `${root}/${plural}`;
  const some = `${root}/namespaces/{namespace}/${plural}`;
  return {
    [`${root}/`]: { get: apiResources(facts) },
    [all]: { get: listAll(facts), parameters: [...LIST_PARAMETERS, PRETTY, WATCH] },
    [some]: collection(facts),
    [`${some}/{name}`]: { ...item(facts), parameters: [name, NAMESPACE, PRETTY] },
    ...watchPaths(root, facts),
  };
}

function operation(facts: OperationFacts, action: string, id: string, description: string, more: Json): Json {
  return {
    tags: [tagOf(facts.gvk)],
    description,
    operationId: id,
    ...more,
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': facts.gvk,
  };
}

const tagOf = ({ group, version }: KindName): string =>
  `${group === '' ? 'core' : (group.split('.')[0] as string)}_${version}`;

function apiResources({ gvk }: OperationFacts): Json {
  return {
    tags: [tagOf(gvk)],
    description: 'get available resources',
    operationId: `get${idPrefix(gvk)}APIResources`,
    responses: { '200': answer(OBJECT_TYPES, META_DEFINITIONS.apiResourceList, 'OK'), ...UNAUTHORIZED },
  };
}

function listAll(facts: OperationFacts): Json {
  const { gvk, list } = facts;
  const id = `list${idPrefix(gvk)}${gvk.kind}ForAllNamespaces`;
  return operation(facts, 'list', id, `list or watch objects of kind ${gvk.kind}`, {
    responses: { '200': answer(LIST_TYPES, list, 'OK'), ...UNAUTHORIZED },
  });
}

function collection(facts: OperationFacts): Json {
  const { gvk, list, object } = facts;
  const { kind } = gvk;
  const id = (verb: string): string => `${verb}${idPrefix(gvk)}Namespaced${kind}`;
  return {
    get: operation(facts, 'list', id('list'), `list or watch objects of kind ${kind}`, {
      parameters: [...LIST_PARAMETERS, WATCH],
      responses: { '200': answer(LIST_TYPES, list, 'OK'), ...UNAUTHORIZED },
    }),
    post: operation(facts, 'post', id('create'), `create a ${kind}`, {
      parameters: WRITE_PARAMETERS,
      requestBody: objectBody(object),
      responses: written(object, ['200', '201', '202']),
    }),
    delete: operation(
      facts,
      'deletecollection',
      `delete${idPrefix(gvk)}CollectionNamespaced${kind}`,
      `delete collection of ${kind}`,
      {
        parameters: [...LIST_PARAMETERS, ...DELETE_PARAMETERS],
        requestBody: deleteBody(),
        responses: { '200': answer(OBJECT_TYPES, META_DEFINITIONS.status, 'OK'), ...UNAUTHORIZED },
      },
    ),
    parameters: [NAMESPACE, PRETTY],
  };
}

function item(facts: OperationFacts): Json {
  const { gvk, object, patchTypes } = facts;
  const { kind } = gvk;
  const id = (verb: string): string => `${verb}${idPrefix(gvk)}Namespaced${kind}`;
  const status = (code: string): Json => answer(OBJECT_TYPES, META_DEFINITIONS.status, DESCRIPTIONS[code] as string);
  return {
    get: operation(facts, 'get', id('read'), `read the specified ${kind}`, {
      responses: { '200': answer(OBJECT_TYPES, object, 'OK'), ...UNAUTHORIZED },
    }),
    put: operation(facts, 'put', id('replace'), `replace the specified ${kind}`, {
      parameters: WRITE_PARAMETERS,
      requestBody: objectBody(object),
      responses: written(object, ['200', '201']),
    }),
    delete: operation(facts, 'delete', id('delete'), `delete a ${kind}`, {
      parameters: DELETE_PARAMETERS,
      requestBody: deleteBody(),
      responses: { '200': status('200'), '202': status('202'), ...UNAUTHORIZED },
    }),
    patch: operation(facts, 'patch', id('patch'), `partially update the specified ${kind}`, {
      parameters: PATCH_PARAMETERS,
      requestBody: { content: contentOf(patchTypes, META_DEFINITIONS.patch), required: true },
      responses: written(object, ['200', '201']),
    }),
  };
}

const DESCRIPTIONS: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };

const objectBody = (definition: string): Json => ({ content: contentOf(OBJECT_TYPES, definition), required: true });
const deleteBody = (): Json => ({ content: contentOf(OBJECT_TYPES, META_DEFINITIONS.deleteOptions) });

function written(definition: string, codes: readonly string[]): Json {
  const answers = codes.map((code) => [code, answer(OBJECT_TYPES, definition, DESCRIPTIONS[code] as string)] as const);
  return { ...Object.fromEntries(answers), ...UNAUTHORIZED };
}

/** The older paths of watches. */
function watchPaths(root: string, facts: OperationFacts): Readonly<Record<string, Json>> {
  const { gvk, plural } = facts;
  const parameters = [...LIST_PARAMETERS, PRETTY, WATCH];
  const watch = (action: string, id: string): Json =>
    operation(facts, action, `watch${idPrefix(gvk)}${id}`, `watch ${gvk.kind}; older form of a list with watch=true`, {
      responses: { '200': answer(LIST_TYPES, META_DEFINITIONS.watchEvent, 'OK'), ...UNAUTHORIZED },
    });
  const some = `${root}/watch/namespaces/{namespace}/${plural}`;
  return {
    [`${root}/watch/${plural}`]: { get: watch('watchlist', `${gvk.kind}ListForAllNamespaces`), parameters },
    [some]: { get: watch('watchlist', `Namespaced${gvk.kind}List`), parameters: [NAMESPACE, ...parameters] },
    [`${some}/{name}`]: {
      get: watch('watch', `Namespaced${gvk.kind}`),
      parameters: [nameParameter(gvk.kind), NAMESPACE, ...parameters],
    },
  };
}
