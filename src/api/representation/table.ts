import { joinBytes } from '../../http/bytes.js';
import type { ListMeta } from '../../model/object-meta.js';
import { badRequest } from '../status/failures.js';
import type { ResourceView } from './contract.js';
import { listMetaJson } from './serializer.js';
import { partialObjectMetadata, type Transform } from './transform.js';
import { memberBytes } from '../../json/raw-json.js';

/** What each row of a Table carries beside its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Reads the query parameter `includeObject`; empty and absent mean `Metadata`, anything unknown is a 400. */
export function readIncludeObject(value: string | undefined): IncludeObject {
  if (!value) return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const what = `Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${what}`);
}

/** As a number, to see which is the later one. */
type Revision = number;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const parsed = (json: Uint8Array): unknown => JSON.parse(decoder.decode(json));
const NULL = encoder.encode('null');
const END = encoder.encode('}');
const BRACE = encoder.encode('{');
const KIND = encoder.encode('{"kind":');

const startsWith = (json: Uint8Array, start: Uint8Array): boolean => start.every((byte, i) => json[i] === byte);

/** The annotation that says: all objects there were have been sent. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** What a Table needs to know. `apiVersion` is the Table's own, `now` gives microseconds since the epoch. */
export interface TableInputs {
  readonly view: ResourceView;
  readonly apiVersion: string;
  readonly includeObject: IncludeObject;
  readonly now: () => number;
}

/** `as=Table`: each object a row of cells, as `kubectl get` prints them. */
export function asTable({ view, apiVersion, includeObject, now }: TableInputs): Transform {
  const columns = JSON.stringify(view.table.columns);
  const partial = partialObjectMetadata(apiVersion);
  const typed = encoder.encode(`{"kind":${JSON.stringify(view.kind)},"apiVersion":${JSON.stringify(view.apiVersion)}`);

  const whole = (json: Uint8Array): Uint8Array => {
    if (startsWith(json, KIND)) return json;
    const rest = json.subarray(BRACE.byteLength);
    return rest.byteLength > END.byteLength ? joinBytes([typed, encoder.encode(','), rest]) : joinBytes([typed, END]);
  };
  const rowObject = (json: Uint8Array, include: IncludeObject): Uint8Array => {
    if (include === 'None') return NULL;
    return include === 'Object' ? whole(json) : partial(json);
  };
  const row = (object: unknown, json: Uint8Array, include: IncludeObject): Uint8Array => {
    const cells = JSON.stringify(view.table.cells(object, now()));
    return joinBytes([encoder.encode(`{"cells":${cells},"object":`), rowObject(json, include), END]);
  };
  const members = (metadata: string, columnDefinitions: string): readonly (readonly [string, string])[] => [
    ['kind', '"Table"'],
    ['apiVersion', JSON.stringify(apiVersion)],
    ['metadata', metadata],
    ['columnDefinitions', columnDefinitions],
  ];
  const single = (json: Uint8Array, columnDefinitions: string, rowOf = plainRow): Uint8Array => {
    const head = members(tableMetadata(json), columnDefinitions).map(([name, value]) => `"${name}":${value}`);
    return joinBytes([encoder.encode(`{${head.join(',')},"rows":[`), rowOf(json), encoder.encode(']}')]);
  };
  const plainRow = (json: Uint8Array): Uint8Array => row(parsed(json), json, includeObject);
  /**
   * The end of the initial events is told by an annotation, which must get through even when rows carry no objects. The
   * row stands for the stream so far then: its revision is that of the latest event that was sent.
   */
  const bookmarkRow =
    (sent: Revision) =>
    (json: Uint8Array): Uint8Array => {
      const object = parsed(json);
      if (includeObject !== 'None' || !isInitialEventsEnd(object)) return plainRow(json);
      return row(object, sent === 0 ? json : withRevision(object, sent), 'Metadata');
    };

  return {
    object: (json) => single(json, columns),
    list: (meta) => ({
      members: members(listMetaJson(meta), columns),
      itemsName: 'rows',
      empty: '[]',
      item: (json) => row(JSON.parse(decoder.decode(json)), json, includeObject),
    }),
    streamKey: undefined,
    stream() {
      let definitions = columns;
      let sent: Revision = 0;
      return (type, json) => {
        const table = single(json, definitions, type === 'BOOKMARK' ? bookmarkRow(sent) : plainRow);
        definitions = 'null';
        if (type !== 'BOOKMARK' && includeObject === 'None') sent = Math.max(sent, Number(revisionOf(json) ?? 0));
        return table;
      };
    },
  };
}

/** The metadata of a Table around one object: its resourceVersion, if it has one. */
function tableMetadata(json: Uint8Array): string {
  const resourceVersion = revisionOf(json);
  const meta: ListMeta = resourceVersion === undefined ? {} : { resourceVersion };
  return listMetaJson(meta);
}

function revisionOf(json: Uint8Array): string | undefined {
  const metadata = memberBytes(json, 'metadata');
  const revision = metadata && memberBytes(metadata, 'resourceVersion');
  return revision && String(JSON.parse(decoder.decode(revision)));
}

function withRevision(object: unknown, revision: Revision): Uint8Array {
  const { metadata, ...rest } = object as { readonly metadata?: object };
  return encoder.encode(JSON.stringify({ ...rest, metadata: { ...metadata, resourceVersion: String(revision) } }));
}

function isInitialEventsEnd(object: unknown): boolean {
  const metadata = (object as { metadata?: { annotations?: Readonly<Record<string, string>> } }).metadata;
  return metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
}
