import type { HostileRequest, MadeRequest } from './contract.js';
import { STORED, times } from './making.js';

/** core/v1, whose rules allow a message as long as a body. */
const COLLECTION = '/api/v1/namespaces/default/events';
const ITEM = `${COLLECTION}/${STORED}`;
/** Bytes for the event around the message. */
const MARGIN = 6_000;

const encoder = new TextEncoder();

/** Kinds of messages: an id, a title, the beginning, and the text that is repeated, in JSON. */
const MESSAGES: readonly (readonly [id: string, title: string, start: string, json: string])[] = [
  ['words', 'words', '', 'word '],
  ['spaces', 'spaces', '', ' '],
  ['lines', 'short lines', '', 'a\\n'],
  ['double-quotes', 'double quotes', '', '\\"'],
  ['single-quotes', 'single quotes', 'a: ', "'"],
  ['underscores', 'digits and underscores', '1', '1_'],
  ['umlauts', 'umlauts', '', 'ü'],
  ['emoji', 'emoji', '', '😀'],
];

const bytesOf = (text: string): number => encoder.encode(text).length;

function message(start: string, json: string, bodyBytes: number): string {
  return start + times(json, ((bodyBytes - MARGIN) / bytesOf(json)) * json.length);
}

function event(name: string, text: string): string {
  return (
    `{"kind":"Event","apiVersion":"v1","metadata":{"name":"${name}","namespace":"default"},"reason":"Tested","type":"Normal",` +
    `"involvedObject":{"kind":"Pod","namespace":"default","name":"web-1"},"source":{"component":"c"},"message":"${text}"}`
  );
}

const sent = (method: string, url: string, type: string, body: string): MadeRequest => ({
  method,
  url,
  headers: { 'content-type': `application/${type}`, accept: 'application/json' },
  body: encoder.encode(body),
});

const read = (accept: string, query = '', url = ITEM): MadeRequest => ({
  method: 'GET',
  url: `${url}${query}`,
  headers: { accept },
});

const meta = 'v=v1;g=meta.k8s.io';

/** Requests to a stored event with such a message. `other` is a different message of at most that length. */
const CHANGES: readonly (readonly [id: string, title: string, make: (other: string) => MadeRequest])[] = [
  ['put', 'replaced by PUT', (other) => sent('PUT', ITEM, 'json', event(STORED, other))],
  ['merge', 'patched with a count', () => sent('PATCH', ITEM, 'merge-patch+json', '{"count":2}')],
  ['merge-large', 'patched', (other) => sent('PATCH', ITEM, 'merge-patch+json', `{"message":"${other}"}`)],
  [
    'strategic',
    'patched strategically',
    (other) => sent('PATCH', ITEM, 'strategic-merge-patch+json', `{"message":"${other}"}`),
  ],
  [
    'json-patch',
    'replaced by an operation',
    (other) => sent('PATCH', ITEM, 'json-patch+json', `[{"op":"replace","path":"/message","value":"${other}"}]`),
  ],
  [
    'apply',
    'applied',
    (other) => sent('PATCH', `${ITEM}?fieldManager=a&force=true`, 'apply-patch+yaml', event(STORED, other)),
  ],
  ['get', 'read', () => read('application/json')],
  ['get-yaml', 'read as YAML', () => read('application/yaml')],
  ['get-protobuf', 'read as protobuf', () => read('application/vnd.kubernetes.protobuf')],
  ['get-table', 'read as a Table', () => read(`application/json;as=Table;${meta}`, '?includeObject=Object')],
  [
    'get-table-yaml',
    'read as a Table in YAML',
    () => read(`application/yaml;as=Table;${meta}`, '?includeObject=Object'),
  ],
  ['get-pretty', 'read pretty', () => read('application/json', '?pretty=true')],
  ['get-partial', 'its metadata read', () => read(`application/json;as=PartialObjectMetadata;${meta}`)],
  ['list-yaml', 'listed as YAML', () => read('application/yaml', '', COLLECTION)],
  ['list-protobuf', 'listed as protobuf', () => read('application/vnd.kubernetes.protobuf', '', COLLECTION)],
];

/** Events of core/v1 with a message of the length of a body. */
export const coreTexts: readonly HostileRequest[] = MESSAGES.flatMap(([id, title, start, json]) => {
  // One function for all, because requests that only read share the stored events of equal functions.
  const before = (bytes: number): readonly MadeRequest[] => [
    sent('PUT', ITEM, 'json', event(STORED, message(start, json, bytes))),
  ];
  return [
    {
      id: `core-${id}-create`,
      title: `create through core/v1: a message of ${title}`,
      authenticated: true,
      sized: true,
      make: (bytes) => sent('POST', COLLECTION, 'json', event('new', message(start, json, bytes))),
    },
    ...CHANGES.map(([change, how, make]): HostileRequest => ({
      id: `core-${id}-${change}`,
      title: `a message of ${title} through core/v1, ${how}`,
      authenticated: true,
      sized: true,
      before,
      make: (bytes) => make(`x${message(start, json, bytes)}`),
    })),
  ] satisfies readonly HostileRequest[];
});
