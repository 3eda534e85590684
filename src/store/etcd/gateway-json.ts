import type {
  Compare,
  KeyValue,
  RangeRequest,
  RangeResponse,
  Step,
  TxnRequest,
  TxnResponse,
  WatchRequest,
  WatchResponse,
} from './messages.js';

/** How bytes are written in JSON. */
export interface Base64 {
  encode(bytes: Uint8Array): string;
  decode(text: string): Uint8Array;
}

/** Zero, false and empty fields are left out by the gateway; 64 bit numbers are strings. */
interface JsonKeyValue {
  readonly key?: string;
  readonly value?: string;
  readonly create_revision?: string;
  readonly mod_revision?: string;
  readonly version?: string;
}

interface JsonHeader {
  readonly header?: { readonly revision?: string };
}

interface JsonRange extends JsonHeader {
  readonly kvs?: readonly JsonKeyValue[];
  readonly more?: boolean;
  readonly count?: string;
}

interface JsonTxn extends JsonHeader {
  readonly succeeded?: boolean;
  readonly responses?: readonly {
    readonly response_range?: { readonly kvs?: readonly JsonKeyValue[] };
    readonly response_delete_range?: { readonly prev_kvs?: readonly JsonKeyValue[] };
  }[];
}

interface JsonWatch extends JsonHeader {
  readonly created?: boolean;
  readonly canceled?: boolean;
  readonly compact_revision?: string;
  readonly cancel_reason?: string;
  readonly fragment?: boolean;
  readonly events?: readonly {
    readonly type?: 'PUT' | 'DELETE';
    readonly kv?: JsonKeyValue;
    readonly prev_kv?: JsonKeyValue;
  }[];
}

/** The messages as the JSON gateway of etcd has them. */
export interface GatewayJson {
  range(request: RangeRequest): object;
  txn(request: TxnRequest): object;
  compaction(revision: number): object;
  watch(request: WatchRequest): object;
  readRange(json: unknown): RangeResponse;
  readTxn(json: unknown): TxnResponse;
  readWatch(json: unknown): WatchResponse;
}

const RESULTS: Readonly<Record<Compare['result'], string>> = {
  equal: 'EQUAL',
  less: 'LESS',
  'not-equal': 'NOT_EQUAL',
};
const TARGETS: Readonly<Record<Compare['target'], readonly [name: string, operand: string]>> = {
  version: ['VERSION', 'version'],
  create: ['CREATE', 'create_revision'],
  mod: ['MOD', 'mod_revision'],
};

/** Maps messages to JSON and back. Undefined members disappear in `JSON.stringify`. */
export function createGatewayJson({ encode, decode }: Base64): GatewayJson {
  const int = (value: number | undefined): string | undefined => (value === undefined ? undefined : String(value));

  const writeStep = (step: Step): object => {
    const key = encode(step.key);
    switch (step.type) {
      case 'range':
        return { request_range: { key } };
      case 'put':
        return { request_put: { key, value: encode(step.value) } };
      case 'delete':
        return { request_delete_range: { key, prev_kv: true } };
    }
  };

  const writeCompare = ({ key, target, result, value }: Compare): object => {
    const [name, operand] = TARGETS[target];
    return { key: encode(key), target: name, result: RESULTS[result], [operand]: String(value) };
  };

  const readKeyValue = ({
    key = '',
    value = '',
    create_revision = '0',
    mod_revision = '0',
    version = '0',
  }: JsonKeyValue): KeyValue => ({
    key: decode(key),
    value: decode(value),
    createRevision: Number(create_revision),
    modRevision: Number(mod_revision),
    version: Number(version),
  });
  const readKeyValues = (kvs: readonly JsonKeyValue[] = []): readonly KeyValue[] => kvs.map(readKeyValue);
  const readRevision = ({ header }: JsonHeader): number => Number(header?.revision ?? 0);

  return {
    range: (request) => ({
      key: encode(request.key),
      range_end: request.rangeEnd && encode(request.rangeEnd),
      limit: int(request.limit),
      revision: int(request.revision),
      keys_only: request.keysOnly,
      max_mod_revision: int(request.maxModRevision),
      ...(request.newestFirst === true && { sort_order: 'DESCEND', sort_target: 'MOD' }),
    }),
    txn: ({ compare, success, failure }) => ({
      compare: compare.map(writeCompare),
      success: success.map(writeStep),
      failure: failure.map(writeStep),
    }),
    compaction: (revision) => ({ revision: String(revision) }),
    watch: (request) => ({
      create_request: {
        key: encode(request.key),
        range_end: encode(request.rangeEnd),
        start_revision: String(request.startRevision),
        progress_notify: true,
        prev_kv: true,
        fragment: true,
      },
    }),
    readRange(json) {
      const { kvs, more = false, count = '0', ...rest } = json as JsonRange;
      return { revision: readRevision(rest), kvs: readKeyValues(kvs), more, count: Number(count) };
    },
    readTxn(json) {
      const { succeeded = false, responses = [], ...rest } = json as JsonTxn;
      const steps = responses.map(({ response_range: range, response_delete_range: deleted }) =>
        readKeyValues(range?.kvs ?? deleted?.prev_kvs),
      );
      return { revision: readRevision(rest), succeeded, steps };
    },
    readWatch(json) {
      const { created = false, canceled = false, fragment = false, ...rest } = json as JsonWatch;
      return {
        revision: readRevision(rest),
        created,
        canceled,
        fragment,
        compactRevision: Number(rest.compact_revision ?? 0),
        cancelReason: rest.cancel_reason ?? '',
        events: (rest.events ?? []).map(({ type, kv = {}, prev_kv: previous }) => ({
          type: type === 'DELETE' ? 'delete' : 'put',
          kv: readKeyValue(kv),
          ...(previous !== undefined && { previous: readKeyValue(previous) }),
        })),
      };
    },
  };
}
