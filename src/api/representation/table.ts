import { joinBytes } from '../../http/bytes.js';
import type { ListMeta } from '../../model/object-meta.js';
import { badRequest } from '../status/failures.js';
import type { ResourceView } from './contract.js';
import { listMetaJson } from './list-form.js';
import { partialObjectMetadata } from './partial-metadata.js';
import { memberBytes } from './raw-json.js';
import type { Transform } from './transform.js';

/** What each row of a Table carries beside its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Reads the query parameter `includeObject`; empty and absent mean `Metadata`, anything unknown is a 400. */
export function readIncludeObject(value: string | undefined): IncludeObject {
  if (!value) return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const what = `Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${what}`);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
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
  const single = (json: Uint8Array, columnDefinitions: string, bookmark: boolean): Uint8Array => {
    const object: unknown = JSON.parse(decoder.decode(json));
    const metadata = tableMetadata(json);
    // The end of the initial events is told by an annotation, which must get through even when rows carry no objects.
    const include = bookmark && includeObject === 'None' && isInitialEventsEnd(object) ? 'Metadata' : includeObject;
    const head = members(metadata, columnDefinitions).map(([name, value]) => `"${name}":${value}`);
    return joinBytes([encoder.encode(`{${head.join(',')},"rows":[`), row(object, json, include), encoder.encode(']}')]);
  };

  return {
    object: (json) => single(json, columns, false),
    list: (meta) => ({
      members: members(listMetaJson(meta), columns),
      itemsName: 'rows',
      empty: '[]',
      item: (json) => row(JSON.parse(decoder.decode(json)), json, includeObject),
    }),
    streamKey: undefined,
    stream() {
      let definitions = columns;
      return (type, json) => {
        const table = single(json, definitions, type === 'BOOKMARK');
        definitions = 'null';
        return table;
      };
    },
  };
}

/** The metadata of a Table around one object: its resourceVersion, if it has one. */
function tableMetadata(json: Uint8Array): string {
  const metadata = memberBytes(json, 'metadata');
  const revision = metadata && memberBytes(metadata, 'resourceVersion');
  const meta: ListMeta = revision ? { resourceVersion: String(JSON.parse(decoder.decode(revision))) } : {};
  return listMetaJson(meta);
}

function isInitialEventsEnd(object: unknown): boolean {
  const metadata = (object as { metadata?: { annotations?: Readonly<Record<string, string>> } }).metadata;
  return metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
}
