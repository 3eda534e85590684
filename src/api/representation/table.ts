import { joinBytes } from '../../http/bytes.js';
import { goQuote, shorten } from '../../json/go-print.js';
import { decodeUtf8, encodeUtf8 } from '../../json/utf8.js';
import type { ListMeta, ObjectMeta } from '../../model/object-meta.js';
import { badRequest } from '../status/failures.js';
import type { ResourceView } from './contract.js';
import type { ListForm } from './serializer.js';
import { listMembers, partialObjectMetadata, type Transform } from './transform.js';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Reads the query parameter `includeObject`; empty and absent mean `Metadata`, anything unknown is a 400. */
export function readIncludeObject(value: string | undefined): IncludeObject {
  if (!value) return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const what = `Invalid value: ${goQuote(shorten(value))}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${what}`);
}

const NULL = encodeUtf8('null');
const END = encodeUtf8('}');
const KIND = encodeUtf8('{"kind":');

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

interface Parsed {
  readonly metadata?: ObjectMeta | undefined;
}

const parse = (json: Uint8Array): Parsed => JSON.parse(decodeUtf8(json)) as Parsed;

/**
 * `as=Table`: a row of cells for each object, as `kubectl get` prints them. `apiVersion` is that of the Table, `now`
 * gives microseconds since the epoch.
 */
export function asTable(
  view: ResourceView,
  apiVersion: string,
  includeObject: IncludeObject,
  now: () => number,
): Transform {
  const columns = JSON.stringify(view.table.columns);
  const partial = partialObjectMetadata(apiVersion);
  const typed = encodeUtf8(`{"kind":${JSON.stringify(view.kind)},"apiVersion":${JSON.stringify(view.apiVersion)},`);

  /** Every object has further members. */
  const whole = (json: Uint8Array): Uint8Array =>
    KIND.every((byte, i) => json[i] === byte) ? json : joinBytes([typed, json.subarray(1)]);
  const rowObject: Readonly<Record<IncludeObject, (json: Uint8Array) => Uint8Array>> = {
    None: () => NULL,
    Metadata: partial,
    Object: whole,
  };
  const row = (json: Uint8Array, object = parse(json), include = includeObject): Uint8Array => {
    const cells = JSON.stringify(view.table.cells(object, now()));
    return joinBytes([encodeUtf8(`{"cells":${cells},"object":`), rowObject[include](json), END]);
  };
  const members = (meta: ListMeta, columnDefinitions: string): ListForm['members'] => [
    ...listMembers('Table', apiVersion, meta),
    ['columnDefinitions', columnDefinitions],
  ];
  const table = ({ metadata }: Parsed, onlyRow: Uint8Array, columnDefinitions: string): Uint8Array => {
    const head = members({ resourceVersion: metadata?.resourceVersion }, columnDefinitions);
    const text = head.map(([name, value]) => `"${name}":${value},`).join('');
    return joinBytes([encodeUtf8(`{${text}"rows":[`), onlyRow, encodeUtf8(']}')]);
  };
  /**
   * The annotation for the end of the initial events must arrive even if rows carry no objects. Then the row represents
   * the stream so far: its revision is that of the latest event that was sent.
   */
  const bookmarkRow = (json: Uint8Array, object: Parsed, sent: number): Uint8Array => {
    const isEnd = object.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
    if (includeObject !== 'None' || !isEnd) return row(json, object);
    return row(sent === 0 ? json : withRevision(object, sent), object, 'Metadata');
  };

  return {
    object(json) {
      const object = parse(json);
      return table(object, row(json, object), columns);
    },
    list: (meta) => ({ members: members(meta, columns), itemsName: 'rows', empty: '[]', item: (json) => row(json) }),
    streamKey: undefined,
    stream() {
      let definitions = columns;
      let sent = 0;
      return (type, json) => {
        const object = parse(json);
        const onlyRow = type === 'BOOKMARK' ? bookmarkRow(json, object, sent) : row(json, object);
        const frame = table(object, onlyRow, definitions);
        definitions = 'null';
        if (type !== 'BOOKMARK') sent = Math.max(sent, Number(object.metadata?.resourceVersion ?? 0));
        return frame;
      };
    },
  };
}

function withRevision({ metadata, ...rest }: Parsed, revision: number): Uint8Array {
  return encodeUtf8(JSON.stringify({ ...rest, metadata: { ...metadata, resourceVersion: String(revision) } }));
}
