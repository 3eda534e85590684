import type { HostileRequest, MadeRequest } from './contract.js';
import { eventBodies } from './json-bodies.js';
import { COLLECTION, eventStart, fill, STORED } from './making.js';

/** Sets of events that are read or deleted at once: many ordinary ones, or few large ones. */
const MANY = 2_000;
const FEW_LARGE = 12;
/** As many labels as a body may have. */
const LABELS = 3_900;

const encoder = new TextEncoder();
const json = { 'content-type': 'application/json', accept: 'application/json' };

const created = (text: string): MadeRequest => ({
  method: 'POST',
  url: COLLECTION,
  headers: json,
  body: encoder.encode(text),
});

function* ordinary(): Iterable<MadeRequest> {
  for (let index = 0; index < MANY; index++) {
    yield created(`${eventStart(`e${index}`)},"labels":{"app":"web"}},"note":"one of ${MANY}"}`);
  }
}

/** Events with as many labels as they may have. */
function* labelled(bodyBytes: number): Iterable<MadeRequest> {
  for (let index = 0; index < FEW_LARGE; index++) {
    const start = `${eventStart(`e${index}`)},"labels":{`;
    yield created(fill(bodyBytes, start, (i) => `"k${i}":"v"`, '}}}', ',', LABELS));
  }
}

/** Events with one annotation as long as it may be. */
function* annotated(): Iterable<MadeRequest> {
  for (let index = 0; index < FEW_LARGE; index++) {
    yield created(`${eventStart(`e${index}`)},"annotations":{"a":"${'\\n'.repeat(250_000)}"}}}`);
  }
}

const SETS: readonly (readonly [id: string, title: string, before: (bodyBytes: number) => Iterable<MadeRequest>])[] = [
  ['many', `${MANY} events`, ordinary],
  ['labels', `${FEW_LARGE} events of ${LABELS} labels`, labelled],
  ['annotations', `${FEW_LARGE} events of 250 kB`, annotated],
];

const meta = 'v=v1;g=meta.k8s.io';
const FORMS: readonly (readonly [id: string, accept: string])[] = [
  ['json', 'application/json'],
  ['yaml', 'application/yaml'],
  ['protobuf', 'application/vnd.kubernetes.protobuf'],
  ['table', `application/json;as=Table;${meta}`],
  ['table-yaml', `application/yaml;as=Table;${meta}`],
  ['table-protobuf', `application/vnd.kubernetes.protobuf;as=Table;${meta}`],
  ['partial', `application/json;as=PartialObjectMetadataList;${meta}`],
  ['partial-yaml', `application/yaml;as=PartialObjectMetadataList;${meta}`],
  ['partial-protobuf', `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;${meta}`],
];

const WATCHED = 'watch=true&timeoutSeconds=1&allowWatchBookmarks=true';
const INITIAL = `${WATCHED}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=`;

/** Ways to read a collection: an id, a title, and the query. */
const READINGS: readonly (readonly [id: string, title: string, query: string])[] = [
  ['list', 'a list', ''],
  ['pretty', 'a pretty list', 'pretty=true'],
  ['whole-table', 'a list with objects in its rows', 'includeObject=Object'],
  ['limit', 'a page', 'limit=4000'],
  ['selected', 'a list filtered by a selector', 'fieldSelector=type!%3DWarning&labelSelector=app!%3Dx'],
  ['nothing', 'a list whose selector matches nothing', 'labelSelector=app%3Dnobody'],
  ['core', 'a list of the other group', ''],
  ['initial', 'a watch with initial events', INITIAL],
  ['legacy', 'a watch from 0', `${WATCHED}&resourceVersion=0`],
];

/** All forms for a list. Of a watch, which takes a second each, only the forms that are made event by event. */
const wanted = (reading: string, form: string): boolean =>
  reading === 'list' || (/initial|legacy/.test(reading) ? /^(?:json|table)$/ : /^(?:json|yaml|table)$/).test(form);

const CORE = '/api/v1/namespaces/default/events';

const lists: readonly HostileRequest[] = SETS.flatMap(([set, what, before]) =>
  READINGS.flatMap(([reading, how, query]) =>
    FORMS.filter(([form]) => wanted(reading, form)).map(([form, accept]): HostileRequest => ({
      id: `stored-${set}-${reading}-${form}`,
      title: `${how}, as ${form}: ${what}`,
      authenticated: true,
      before,
      make: () => ({ method: 'GET', url: `${reading === 'core' ? CORE : COLLECTION}?${query}`, headers: { accept } }),
    })),
  ),
);

/** Deletions of all events: an id, a title, the query, and the options in the body. */
const DELETIONS: readonly (readonly [id: string, title: string, query: string, options?: string])[] = [
  ['all', 'everything deleted', ''],
  ['dry', 'everything deleted, in a dry run', 'dryRun=All'],
  ['selected', 'everything deleted that a selector matches', 'labelSelector=app!%3Dx'],
  ['nothing', 'a deletion whose selector matches nothing', 'labelSelector=app%3Dnobody'],
  ['refused', 'a deletion whose condition does not hold', '', '{"preconditions":{"uid":"x"}}'],
  ['orphan', 'everything marked for deletion', 'propagationPolicy=Orphan'],
];

const deletions: readonly HostileRequest[] = SETS.flatMap(([set, what, before]) =>
  DELETIONS.map(([id, title, query, options]): HostileRequest => ({
    id: `stored-${set}-delete-${id}`,
    title: `${title}: ${what}`,
    authenticated: true,
    before,
    make: () => ({
      method: 'DELETE',
      url: `${COLLECTION}?${query}`,
      headers: json,
      ...(options !== undefined && { body: encoder.encode(options) }),
    }),
  })),
);

/** Events as large as they may be, which replace the ordinary one. */
const LARGE = ['labels', 'annotations', 'finalizers', 'owners', 'managed-f', 'managed-k', 'managed-v'] as const;

const put = (text: string, query = ''): MadeRequest => ({
  method: 'PUT',
  url: `${COLLECTION}/${STORED}${query}`,
  headers: json,
  body: encoder.encode(text),
});

const patched = (type: string, text: string, query = ''): MadeRequest => ({
  method: 'PATCH',
  url: `${COLLECTION}/${STORED}${query}`,
  headers: { ...json, 'content-type': `application/${type}` },
  body: encoder.encode(text),
});

/** Requests to a large event, whose body is an ordinary event or another large one. */
const CHANGES: readonly (readonly [id: string, title: string, make: (other: string) => MadeRequest])[] = [
  ['put', 'replaced by a small one', () => put(`${eventStart(STORED)}}}`)],
  ['put-large', 'replaced by another large one', (other) => put(other)],
  [
    'put-dry',
    'replaced by another large one, in a dry run',
    (other) => put(other, '?dryRun=All&fieldValidation=Strict'),
  ],
  [
    'apply',
    'changed by a small server-side apply',
    () => patched('apply-patch+yaml', `${eventStart(STORED)}}}`, '?fieldManager=a&force=true'),
  ],
  [
    'apply-large',
    'changed by a server-side apply of another large one',
    (other) => patched('apply-patch+yaml', other, '?fieldManager=a&force=true'),
  ],
  [
    'apply-conflict',
    'changed by a conflicting server-side apply',
    (other) => patched('apply-patch+yaml', other, '?fieldManager=a'),
  ],
  ['merge', 'patched', () => patched('merge-patch+json', '{"note":"x"}')],
  ['merge-large', 'patched with another large one', (other) => patched('merge-patch+json', other)],
  [
    'strategic',
    'patched with another large one, strategically',
    (other) => patched('strategic-merge-patch+json', other),
  ],
  [
    'json-patch',
    'patched by one operation',
    () => patched('json-patch+json', '[{"op":"add","path":"/note","value":"x"}]'),
  ],
  ['delete', 'deleted', () => ({ method: 'DELETE', url: `${COLLECTION}/${STORED}`, headers: json })],
  ['get-yaml', 'read as YAML', () => read('application/yaml')],
  ['get-protobuf', 'read as protobuf', () => read('application/vnd.kubernetes.protobuf')],
  ['get-table', 'read as a Table', () => read(`application/json;as=Table;${meta}`)],
  ['get-pretty', 'read pretty', () => ({ ...read('application/json'), url: `${COLLECTION}/${STORED}?pretty=true` })],
  ['get-partial', 'its metadata read', () => read(`application/json;as=PartialObjectMetadata;${meta}`)],
];

function read(accept: string): MadeRequest {
  return { method: 'GET', url: `${COLLECTION}/${STORED}`, headers: { accept } };
}

const changes: readonly HostileRequest[] = eventBodies
  .filter(({ id }) => LARGE.includes(id as (typeof LARGE)[number]))
  .flatMap(({ id: what, title, make }) =>
    CHANGES.map(([change, how, request]): HostileRequest => ({
      id: `large-${what}-${change}`,
      title: `an event with ${title}, ${how}`,
      authenticated: true,
      before: (bodyBytes) => [put(make(STORED, Math.min(bodyBytes, 262_144), LABELS))],
      make: (bodyBytes) =>
        request(make(STORED, bodyBytes, LABELS).replace(/"(f:|a\/|k|v:\\"|k:\{\\"uid\\":\\")(\d)/g, '"$1x$2')),
    })),
  );

/** Requests to many events, or to a large one. */
export const hostileReadings: readonly HostileRequest[] = [...lists, ...deletions, ...changes];
