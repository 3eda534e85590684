import { reference, type Json, type KindName } from './schemas.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Names of the definitions that every resource's operations refer to. */
export const META_DEFINITIONS: Readonly<
  Record<'apiResourceList' | 'deleteOptions' | 'listMeta' | 'patch' | 'status' | 'watchEvent', string>
> = {
  apiResourceList: `${META}.APIResourceList`,
  deleteOptions: `${META}.DeleteOptions`,
  listMeta: `${META}.ListMeta`,
  patch: `${META}.Patch`,
  status: `${META}.Status`,
  watchEvent: `${META}.WatchEvent`,
};

const text = (description: string): Json => ({ description, type: 'string' });
const needed = (description: string): Json => ({ description, type: 'string', default: '' });
const whole = (description: string, format: 'int32' | 'int64'): Json => ({ description, type: 'integer', format });
const part = (description: string, definition: string): Json => ({
  description,
  allOf: [reference(definition)],
  default: {},
});
const listOf = (description: string, items: Json): Json => ({
  description,
  type: 'array',
  items,
  'x-kubernetes-list-type': 'atomic',
});
const object = (description: string, properties: Json, more: Json = {}): Json => ({
  description,
  type: 'object',
  properties,
  ...more,
});
const kinds = (...names: readonly KindName[]): Json => ({ 'x-kubernetes-group-version-kind': names });
const TYPE_META: Json = {
  kind: text('The kind of object this is.'),
  apiVersion: text('Group and version this form of the object belongs to.'),
};

/** What a kind of all groups is called in plain `v1` and in a group and version. */
export function kindsOf(kind: string, group: string, version: string): readonly KindName[] {
  const plain = { group: '', kind, version: 'v1' };
  return group === '' && version === 'v1' ? [plain] : [plain, { group, kind, version }];
}

/** The definitions of Kubernetes' `meta/v1` that are no resource's own. `group` and `version` are the document's. */
export function metaSchemas(group: string, version: string): Readonly<Record<string, Json>> {
  const item = (definition: string): Json => ({ allOf: [reference(definition)], default: {} });
  return {
    [META_DEFINITIONS.listMeta]: object('What lists have in place of ObjectMeta.', {
      continue: text('Where the next page begins; empty on the last one.'),
      remainingItemCount: whole('How many items are left after this page, where that is known.', 'int64'),
      resourceVersion: text('The version of the whole list. A watch may begin here.'),
      selfLink: text('Not used any more.'),
    }),
    [META_DEFINITIONS.status]: object(
      'The answer of a request that failed, or of a deletion.',
      {
        ...TYPE_META,
        metadata: part('Of a page that expired: where a walk may go on.', META_DEFINITIONS.listMeta),
        status: text('Success or Failure.'),
        message: text('What happened, for people to read.'),
        reason: text('What happened, for machines.'),
        details: {
          description: 'More about the failure, or about what was deleted.',
          allOf: [reference(`${META}.StatusDetails`)],
          'x-kubernetes-list-type': 'atomic',
        },
        code: whole('The HTTP status code.', 'int32'),
      },
      kinds({ group: '', kind: 'Status', version: 'v1' }),
    ),
    [`${META}.StatusDetails`]: object('What a Status speaks of.', {
      name: text('The name of the object.'),
      group: text('The API group of the object.'),
      kind: text('The resource, or the kind where an object was invalid.'),
      uid: text('The UID of the object.'),
      causes: listOf('The single reasons of a failure.', item(`${META}.StatusCause`)),
      retryAfterSeconds: whole('After how many seconds another try may do better.', 'int32'),
    }),
    [`${META}.StatusCause`]: object('One of several reasons of a failure.', {
      reason: text('The reason, for machines.'),
      message: text('The reason, for people to read.'),
      field: text('The field that is to blame.'),
    }),
    [META_DEFINITIONS.patch]: object('A patch, in the form its content type says.', {}),
    [META_DEFINITIONS.watchEvent]: object(
      'One change of a watch.',
      {
        type: needed('ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.'),
        object: {
          description: 'The object after the change, the last state of a deleted one, or a Status.',
          allOf: [reference('io.k8s.apimachinery.pkg.runtime.RawExtension')],
        },
      },
      { required: ['type', 'object'], ...kinds(...kindsOf('WatchEvent', group, version)) },
    ),
    'io.k8s.apimachinery.pkg.runtime.RawExtension': object('An object of any kind.', {}),
    [META_DEFINITIONS.apiResourceList]: object(
      'The resources of a group and version.',
      {
        ...TYPE_META,
        groupVersion: needed('The group and version.'),
        resources: listOf('The resources.', item(`${META}.APIResource`)),
      },
      { required: ['groupVersion', 'resources'], ...kinds({ group: '', kind: 'APIResourceList', version: 'v1' }) },
    ),
    [`${META}.APIResource`]: object(
      'A resource.',
      {
        name: needed('The plural name, as in paths.'),
        singularName: needed('The singular name.'),
        namespaced: { description: 'Whether its objects live in namespaces.', type: 'boolean', default: false },
        group: text('The group of the kind, where it is another one.'),
        version: text('The version of the kind, where it is another one.'),
        kind: needed('The kind of its objects.'),
        verbs: { description: 'What can be done.', type: 'array', items: { type: 'string', default: '' } },
        shortNames: listOf('Shorter names for the command line.', { type: 'string', default: '' }),
        categories: listOf('Groups of resources it belongs to.', { type: 'string', default: '' }),
        storageVersionHash: text('Changes with the version objects are stored in.'),
      },
      { required: ['name', 'singularName', 'namespaced', 'kind', 'verbs'] },
    ),
  };
}
