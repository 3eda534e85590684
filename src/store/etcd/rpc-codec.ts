import type {
  Compare,
  Connection,
  KeyValue,
  Pending,
  RangeRequest,
  RangeResponse,
  Step,
  TxnRequest,
  TxnResponse,
  WatchEvent,
  WatchRequest,
  WatchResponse,
} from './connection.js';
import { describeMessages, type ProtobufLibrary } from './rpc-description.js';

/** Messages as one of etcd's two protocols sends them: bytes, or values of JSON. */
interface Format<Sent> {
  encode(name: string, message: Fields): Sent;
  /** Throws for an invalid message. */
  decode(name: string, sent: Sent): unknown;
  readonly toBytes: (value: never) => Uint8Array;
  readonly fromBytes: (bytes: Uint8Array) => unknown;
}

type Fields = Record<string, unknown>;

/** The path of a unary call: over gRPC, below the package, and at the gateway, below `/v3/`. */
interface Call {
  readonly method: string;
  readonly path: string;
}

/** Sends one request. `read` throws for an invalid response. */
export type Send<Sent> = <T>(
  call: Call,
  request: Sent,
  read: (response: Sent) => T,
  token: string | undefined,
) => Pending<T>;

export interface RpcCodec<Sent> {
  calls(send: Send<Sent>): Pick<Connection, 'range' | 'txn' | 'compact' | 'bytesInUse' | 'authenticate'>;
  encodeWatch(request: WatchRequest): Sent;
  decodeWatch(sent: Sent): WatchResponse;
}

/** Decoded messages: absent fields are zero, except messages. Bytes are in the form of the format. */
interface Header {
  readonly header?: { readonly revision: bigint };
}
type KeyValueMessage = { readonly [Name in keyof KeyValue]: KeyValue[Name] extends number ? bigint : never };
interface RangeMessage extends Header, Pick<RangeResponse, 'more'> {
  readonly kvs: readonly KeyValueMessage[];
  readonly count: bigint;
}
interface TxnMessage extends Header {
  readonly succeeded: boolean;
  readonly responses: readonly {
    readonly responseRange?: { readonly kvs: readonly KeyValueMessage[] };
    readonly responseDeleteRange?: { readonly prevKvs: readonly KeyValueMessage[] };
  }[];
}
interface WatchMessage extends Header, Pick<WatchResponse, 'created' | 'canceled' | 'cancelReason' | 'fragment'> {
  readonly compactRevision: bigint;
  readonly events: readonly {
    readonly type: number;
    readonly kv?: KeyValueMessage;
    readonly prevKv?: KeyValueMessage;
  }[];
}

/** Numbers and fields of rpc.proto. */
const MOD = 2;
const DELETE = 1;
const NO_KEY: KeyValue = {
  key: new Uint8Array(0),
  value: new Uint8Array(0),
  createRevision: 0,
  modRevision: 0,
  version: 0,
};

function createCodec<Sent>({ encode, decode, toBytes, fromBytes }: Format<Sent>): RpcCodec<Sent> {
  const int = (value: number | undefined): bigint | undefined => (value === undefined ? undefined : BigInt(value));
  const writeStep = (step: Step): object => {
    const key = fromBytes(step.key);
    switch (step.type) {
      case 'range':
        return { requestRange: { key } };
      case 'put':
        return { requestPut: { key, value: fromBytes(step.value) } };
      case 'delete':
        return { requestDeleteRange: { key, prevKv: true } };
    }
  };
  const writeCompare = ({ key, revision }: Compare): object => ({
    key: fromBytes(key),
    target: MOD,
    targetUnion: { case: 'modRevision', value: BigInt(revision) },
  });
  const writeRange = ({ key, rangeEnd, ...rest }: RangeRequest): Fields => ({
    key: fromBytes(key),
    rangeEnd: rangeEnd && fromBytes(rangeEnd),
    limit: int(rest.limit),
    revision: int(rest.revision),
    keysOnly: rest.keysOnly,
  });
  const writeTxn = ({ compare = [], success, failure = [] }: TxnRequest): Fields => ({
    compare: compare.map(writeCompare),
    success: success.map(writeStep),
    failure: failure.map(writeStep),
  });

  const readRevision = ({ header }: Header): number => Number(header?.revision ?? 0);
  const readKeyValue = ({ key, value, createRevision, modRevision, version }: KeyValueMessage): KeyValue => ({
    key: toBytes(key),
    value: toBytes(value),
    createRevision: Number(createRevision),
    modRevision: Number(modRevision),
    version: Number(version),
  });
  const readRange = (message: RangeMessage): RangeResponse => ({
    revision: readRevision(message),
    kvs: message.kvs.map(readKeyValue),
    more: message.more,
    count: Number(message.count),
  });
  const readTxn = (message: TxnMessage): TxnResponse => ({
    revision: readRevision(message),
    succeeded: message.succeeded,
    steps: message.responses.map(({ responseRange, responseDeleteRange }) =>
      (responseRange?.kvs ?? responseDeleteRange?.prevKvs ?? []).map(readKeyValue),
    ),
  });
  const readToken = ({ token }: Record<'token', string>): string => token;
  const readBytesInUse = ({ dbSizeInUse, dbSize }: Record<'dbSizeInUse' | 'dbSize', bigint>): number =>
    Number(dbSizeInUse || dbSize);

  return {
    calls(send) {
      /** `name`: of the messages, without `Request` and `Response`. */
      const call = <T>(
        method: string,
        path: string,
        name: string,
        request: Fields,
        token: string | undefined,
        read: (message: never) => T,
      ): Pending<T> => {
        const sent = encode(`${name}Request`, request);
        return send({ method, path }, sent, (response) => read(decode(`${name}Response`, response) as never), token);
      };
      return {
        range: (request, token) => call('KV/Range', 'kv/range', 'Range', writeRange(request), token, readRange),
        txn: (request, token) => call('KV/Txn', 'kv/txn', 'Txn', writeTxn(request), token, readTxn),
        compact: (revision, token) =>
          call('KV/Compact', 'kv/compaction', 'Compaction', { revision: int(revision) }, token, () => undefined),
        bytesInUse: (token) => call('Maintenance/Status', 'maintenance/status', 'Status', {}, token, readBytesInUse),
        authenticate: (name, password) =>
          call('Auth/Authenticate', 'auth/authenticate', 'Authenticate', { name, password }, undefined, readToken),
      };
    },
    encodeWatch: (request) =>
      encode('WatchRequest', {
        createRequest: {
          key: fromBytes(request.key),
          rangeEnd: fromBytes(request.rangeEnd),
          startRevision: int(request.startRevision),
          progressNotify: true,
          prevKv: true,
          fragment: true,
        },
      }),
    decodeWatch(sent) {
      const message = decode('WatchResponse', sent) as WatchMessage;
      const { created, canceled, cancelReason, fragment, events } = message;
      return {
        revision: readRevision(message),
        created,
        canceled,
        compactRevision: Number(message.compactRevision),
        cancelReason,
        fragment,
        events: events.map(({ type, kv, prevKv }): WatchEvent => ({
          type: type === DELETE ? 'delete' : 'put',
          kv: kv ? readKeyValue(kv) : NO_KEY,
          ...(prevKv && { previous: readKeyValue(prevKv) }),
        })),
      };
    },
  };
}

async function loadLibrary(): Promise<ProtobufLibrary> {
  const [library, wkt] = await Promise.all([import('@bufbuild/protobuf'), import('@bufbuild/protobuf/wkt')]);
  return { ...library, ...wkt };
}

export async function loadProtobufCodec(): Promise<RpcCodec<Uint8Array>> {
  const library = await loadLibrary();
  const describe = describeMessages(library, 'BYTES');
  return createCodec<Uint8Array>({
    encode: (name, message) => library.toBinary(describe(name), library.create(describe(name), message)),
    decode: (name, bytes) => library.fromBinary(describe(name), bytes, { readUnknownFields: false }),
    toBytes: (bytes) => bytes,
    fromBytes: (bytes) => bytes,
  });
}

/** Messages as the JSON gateway has them: bytes in base64, 64-bit integers as strings, without fields that are zero. */
export async function loadJsonCodec(): Promise<RpcCodec<unknown>> {
  const [library, { Buffer }] = await Promise.all([loadLibrary(), import('node:buffer')]);
  const describe = describeMessages(library, 'STRING');
  return createCodec<unknown>({
    encode: (name, message) => library.toJson(describe(name), library.create(describe(name), message)),
    decode: (name, json) => library.fromJson(describe(name), json as never, { ignoreUnknownFields: true }),
    toBytes: (text) => Buffer.from(text, 'base64'),
    fromBytes: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
  });
}
