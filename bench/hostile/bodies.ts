import type { HostileRequest } from './contract.js';
import { eventBodies } from './json-bodies.js';
import { longItemBodies } from './long-items.js';
import { COLLECTION, eventStart, fill, STORED, times } from './making.js';
import { applyBodies, patchBodies } from './patches.js';
import { envelope, protobufBodies } from './protobuf-bodies.js';
import { YAML_SIZES, yamlBodies } from './yaml-bodies.js';

const encoder = new TextEncoder();
const NEW = 'new';
const ITEM = `${COLLECTION}/${STORED}`;
const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const APPLY = 'application/apply-patch+yaml';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly accept?: string;
}

const request = (
  id: string,
  title: string,
  how: Sent,
  body: (bytes: number) => string | Uint8Array,
): HostileRequest => ({
  id,
  title,
  authenticated: true,
  sized: true,
  make(bytes) {
    const made = body(bytes);
    return {
      method: how.method,
      url: how.url,
      headers: { 'content-type': how.type, accept: how.accept ?? JSON_TYPE },
      body: typeof made === 'string' ? encoder.encode(made) : made,
    };
  },
});

const POST: Sent = { method: 'POST', url: COLLECTION, type: JSON_TYPE };
const PUT: Sent = { method: 'PUT', url: ITEM, type: JSON_TYPE };
const STRICT: Sent = { ...POST, url: `${COLLECTION}?fieldValidation=Strict&dryRun=All` };
const APPLIED: Sent = { method: 'PATCH', url: `${ITEM}?fieldManager=m&force=true`, type: APPLY };
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

/** A little less than the limit on fields and items of a body. */
const WITHIN = 3_990;

const inEveryWay = (
  id: string,
  title: string,
  make: (name: string, bytes: number) => string,
): readonly HostileRequest[] => [
  request(`create-${id}`, `create: ${title}`, POST, (bytes) => make(NEW, bytes)),
  request(`strict-${id}`, `strict create: ${title}`, STRICT, (bytes) => make(NEW, bytes)),
  request(`update-${id}`, `update: ${title}`, PUT, (bytes) => make(STORED, bytes)),
  request(`apply-${id}`, `apply: ${title}`, APPLIED, (bytes) => make(STORED, bytes)),
  request(`delete-${id}`, `delete: ${title}`, { ...PUT, method: 'DELETE' }, (bytes) =>
    make(STORED, bytes).replace('"Event"', '"DeleteOptions"'),
  ),
];

const ofEvents: readonly HostileRequest[] = [...eventBodies, ...longItemBodies].flatMap(
  ({ id, title, counted, make }) => [
    ...inEveryWay(id, title, (name, bytes) => make(name, bytes)),
    ...(counted
      ? inEveryWay(`${id}-within`, `${title}, just within the limit`, (name, bytes) => make(name, bytes, WITHIN))
      : []),
  ],
);

/** New finalizers of an event that is being deleted. */
const ofDeleted: readonly HostileRequest[] = longItemBodies
  .filter(({ id }) => id === 'long-finalizers-unprintable')
  .map(({ id, title, make }) => ({
    ...request(`deleted-${id}`, `update of a deleted event: ${title}`, PUT, (bytes) => make(STORED, bytes)),
    before: () => [{ method: 'DELETE', url: ITEM, headers: { accept: JSON_TYPE } }],
  }));

/** Creates whose responses are in other forms. */
const inOtherForms: readonly HostileRequest[] = ['labels', 'annotations', 'finalizers', 'owners', 'managed-f'].flatMap(
  (what) =>
    [YAML, TABLE, PARTIAL, PROTOBUF, `${JSON_TYPE};q=1`].map((accept, index) => {
      const body = eventBodies.find(({ id }) => id === what);
      const form = ['yaml', 'table', 'partial', 'protobuf', 'pretty'][index] ?? '';
      const url = form === 'pretty' ? `${COLLECTION}?pretty=true` : COLLECTION;
      return request(
        `as-${form}-${what}`,
        `create, answered as ${form}: ${body?.title}`,
        { ...POST, url, accept },
        (bytes) => body?.make(NEW, bytes, WITHIN) ?? '',
      );
    }),
);

const ofYaml: readonly HostileRequest[] = yamlBodies.flatMap(({ id, title, make }) =>
  YAML_SIZES.flatMap((bytes) => [
    request(`yaml-${id}-${bytes}`, `YAML: ${title}, ${bytes} bytes`, { ...STRICT, type: YAML }, () => make(bytes)),
    ...(bytes === YAML_SIZES[2] ? [request(`apply-yaml-${id}`, `apply: ${title}`, APPLIED, () => make(bytes))] : []),
    ...(bytes === YAML_SIZES[2]
      ? [request(`delete-yaml-${id}`, `delete: ${title}`, { ...PUT, method: 'DELETE', type: YAML }, () => make(bytes))]
      : []),
  ]),
);

const deletions: readonly HostileRequest[] = [
  [
    'dry-run',
    'many dryRun values',
    (bytes: number) => fill(bytes, '{"kind":"DeleteOptions","dryRun":[', () => '"All"', ']}'),
  ],
  [
    'dry-run-bad',
    'many unknown dryRun values',
    (bytes: number) => fill(bytes, '{"kind":"DeleteOptions","dryRun":[', (i: number) => `"${i}"`, ']}'),
  ],
  [
    'policy',
    'a long propagation policy',
    (bytes: number) => `{"propagationPolicy":"${times('\\u0001', bytes - 1000)}"}`,
  ],
  ['uid', 'a long uid', (bytes: number) => `{"preconditions":{"uid":"${times('\\u0001', bytes - 1000)}"}}`],
].map(([id, title, make]) =>
  request(
    `delete-options-${id as string}`,
    `delete: ${title as string}`,
    { ...PUT, method: 'DELETE' },
    make as (bytes: number) => string,
  ),
);

/** Requests with bodies of all kinds, up to the default of `maxBodyBytes`; one is longer. */
export const hostileBodies: readonly HostileRequest[] = [
  ...ofEvents,
  ...ofDeleted,
  ...inOtherForms,
  ...ofYaml,
  ...patchBodies.map(({ id, title, type, make }) =>
    request(id, title, { method: 'PATCH', url: ITEM, type: `application/${type}` }, make),
  ),
  ...patchBodies.map(({ id, title, type, make }) =>
    request(
      `${id}-strict`,
      `${title}, strictly`,
      { method: 'PATCH', url: `${ITEM}?fieldValidation=Strict&dryRun=All`, type: `application/${type}` },
      make,
    ),
  ),
  ...applyBodies.map(({ id, title, make }) => request(`apply-${id}`, `apply: ${title}`, APPLIED, make)),
  ...protobufBodies.map(({ id, title, make }) =>
    request(`protobuf-${id}`, `protobuf: ${title}`, { ...POST, type: PROTOBUF, accept: PROTOBUF }, make),
  ),
  request('protobuf-delete', 'protobuf: options of a deletion', { ...PUT, method: 'DELETE', type: PROTOBUF }, (bytes) =>
    envelope(new Uint8Array(bytes - 1_000), 'DeleteOptions', 'v1'),
  ),
  ...deletions,
  request('bad-utf8', 'bytes that are no UTF-8 at the end', POST, (bytes) => {
    const body = encoder.encode(fill(bytes, `${eventStart(NEW)}},`, (i) => `"u${i}":1`, '}'));
    body.fill(0xff, -100, -50);
    return body;
  }),
  request('all-bad-utf8', 'nothing but bytes that are no UTF-8', POST, (bytes) => new Uint8Array(bytes).fill(0xff)),
  request('too-large', 'three times as long as a body may be', POST, () => times('x', 3_145_728)),
];
