import type {
  Compare,
  KeyValue,
  RangeRequest,
  RangeResponse,
  Step,
  TxnRequest,
  TxnResponse,
  WatchEvent,
  WatchRequest,
  WatchResponse,
} from './messages.js';

type Wire = typeof import('@bufbuild/protobuf/wire');
type Writer = import('@bufbuild/protobuf/wire').BinaryWriter;
type Reader = import('@bufbuild/protobuf/wire').BinaryReader;

/** The messages of etcd's rpc.proto as bytes. */
export interface EtcdProtobuf {
  encodeRange(request: RangeRequest): Uint8Array;
  encodeTxn(request: TxnRequest): Uint8Array;
  encodeCompaction(revision: number): Uint8Array;
  encodeWatch(request: WatchRequest): Uint8Array;
  encodeAuthenticate(name: string, password: string): Uint8Array;
  decodeRange(bytes: Uint8Array): RangeResponse;
  /** Of a StatusResponse. */
  decodeBytesInUse(bytes: Uint8Array): number;
  decodeTxn(bytes: Uint8Array): TxnResponse;
  decodeWatch(bytes: Uint8Array): WatchResponse;
  /** The token. */
  decodeAuthenticate(bytes: Uint8Array): string;
}

const VARINT = 0;
const DELIMITED = 2;
const RESULTS: Readonly<Record<Compare['result'], number>> = { equal: 0, less: 2, 'not-equal': 3 };
const TARGETS: Readonly<Record<Compare['target'], number>> = { version: 0, create: 1, mod: 2 };
/** The field that holds the number to compare with. */
const OPERANDS: Readonly<Record<Compare['target'], number>> = { version: 4, create: 5, mod: 6 };
const STEPS: Readonly<Record<Step['type'], number>> = { range: 1, put: 2, delete: 3 };

/** Writes and reads a few messages by hand: the whole schema would be a generated file of its own. */
export function createProtobuf({ BinaryReader, BinaryWriter }: Wire): EtcdProtobuf {
  const bytes = (writer: Writer, field: number, value: Uint8Array): void => {
    writer.tag(field, DELIMITED).bytes(value);
  };
  const int = (writer: Writer, field: number, value: number | undefined): void => {
    if (value !== undefined && value !== 0) writer.tag(field, VARINT).int64(value);
  };
  const flag = (writer: Writer, field: number, value: boolean | undefined): void => {
    if (value === true) writer.tag(field, VARINT).bool(true);
  };
  const message = (writer: Writer, field: number, write: () => void): void => {
    writer.tag(field, DELIMITED).fork();
    write();
    writer.join();
  };

  const writeRange = (writer: Writer, request: RangeRequest): void => {
    bytes(writer, 1, request.key);
    if (request.rangeEnd !== undefined) bytes(writer, 2, request.rangeEnd);
    int(writer, 3, request.limit);
    int(writer, 4, request.revision);
    if (request.newestFirst === true) {
      int(writer, 5, 2);
      int(writer, 6, 3);
    }
    flag(writer, 8, request.keysOnly);
    int(writer, 11, request.maxModRevision);
  };

  const writeStep = (writer: Writer, step: Step): void =>
    message(writer, STEPS[step.type], () => {
      bytes(writer, 1, step.key);
      if (step.type === 'put') bytes(writer, 2, step.value);
      if (step.type === 'delete') flag(writer, 3, true);
    });

  const writeCompare = (writer: Writer, { key, target, result, value }: Compare): void => {
    int(writer, 1, RESULTS[result]);
    int(writer, 2, TARGETS[target]);
    bytes(writer, 3, key);
    // A member of a oneof is written also when it is zero.
    writer.tag(OPERANDS[target], VARINT).int64(value);
  };

  /** Calls back for each field of the message that begins here. Fields that are not read are skipped. */
  const fields = (reader: Reader, length: number, take: (field: number) => boolean): void => {
    const end = reader.pos + length;
    while (reader.pos < end) {
      const [field, type] = reader.tag();
      if (!take(field)) reader.skip(type, field);
    }
  };
  const nested = (reader: Reader, take: (field: number) => boolean): true => {
    fields(reader, reader.uint32(), take);
    return true;
  };

  const readHeader = (reader: Reader): number => {
    let revision = 0;
    nested(reader, (field) => {
      if (field !== 3) return false;
      revision = Number(reader.int64());
      return true;
    });
    return revision;
  };

  const readKeyValue = (reader: Reader): KeyValue => {
    const kv = { key: new Uint8Array(0), value: new Uint8Array(0), createRevision: 0, modRevision: 0, version: 0 };
    nested(reader, (field) => {
      if (field === 1) kv.key = reader.bytes() as Uint8Array<ArrayBuffer>;
      else if (field === 2) kv.createRevision = Number(reader.int64());
      else if (field === 3) kv.modRevision = Number(reader.int64());
      else if (field === 4) kv.version = Number(reader.int64());
      else if (field === 5) kv.value = reader.bytes() as Uint8Array<ArrayBuffer>;
      else return false;
      return true;
    });
    return kv;
  };

  const readEvent = (reader: Reader): WatchEvent => {
    let type: WatchEvent['type'] = 'put';
    let kv: KeyValue | undefined;
    let previous: KeyValue | undefined;
    nested(reader, (field) => {
      if (field === 1) type = reader.int32() === 1 ? 'delete' : 'put';
      else if (field === 2) kv = readKeyValue(reader);
      else if (field === 3) previous = readKeyValue(reader);
      else return false;
      return true;
    });
    return {
      type,
      kv: kv ?? { key: new Uint8Array(0), value: new Uint8Array(0), createRevision: 0, modRevision: 0, version: 0 },
      ...(previous !== undefined && { previous }),
    };
  };

  /** What a step read (field 2 of RangeResponse) or deleted (field 3 of DeleteRangeResponse). */
  const readStep = (reader: Reader): readonly KeyValue[] => {
    const kvs: KeyValue[] = [];
    nested(reader, (kind) =>
      nested(reader, (field) => {
        if (!((kind === 1 && field === 2) || (kind === 3 && field === 3))) return false;
        kvs.push(readKeyValue(reader));
        return true;
      }),
    );
    return kvs;
  };

  return {
    encodeRange(request) {
      const writer = new BinaryWriter();
      writeRange(writer, request);
      return writer.finish();
    },
    encodeTxn({ compare, success, failure }) {
      const writer = new BinaryWriter();
      for (const one of compare) message(writer, 1, () => writeCompare(writer, one));
      for (const step of success) message(writer, 2, () => writeStep(writer, step));
      for (const step of failure) message(writer, 3, () => writeStep(writer, step));
      return writer.finish();
    },
    encodeCompaction(revision) {
      const writer = new BinaryWriter();
      int(writer, 1, revision);
      return writer.finish();
    },
    encodeWatch(request) {
      const writer = new BinaryWriter();
      message(writer, 1, () => {
        bytes(writer, 1, request.key);
        bytes(writer, 2, request.rangeEnd);
        int(writer, 3, request.startRevision);
        flag(writer, 4, true);
        flag(writer, 6, true);
        flag(writer, 8, true);
      });
      return writer.finish();
    },
    encodeAuthenticate(name, password) {
      return new BinaryWriter().tag(1, DELIMITED).string(name).tag(2, DELIMITED).string(password).finish();
    },
    decodeRange(message) {
      const reader = new BinaryReader(message);
      const kvs: KeyValue[] = [];
      const response = { revision: 0, kvs, more: false, count: 0 };
      fields(reader, message.length, (field) => {
        if (field === 1) response.revision = readHeader(reader);
        else if (field === 2) kvs.push(readKeyValue(reader));
        else if (field === 3) response.more = reader.bool();
        else if (field === 4) response.count = Number(reader.int64());
        else return false;
        return true;
      });
      return response;
    },
    decodeBytesInUse(message) {
      const reader = new BinaryReader(message);
      let size = 0;
      let inUse: number | undefined;
      fields(reader, message.length, (field) => {
        if (field === 3) size = Number(reader.int64());
        else if (field === 9) inUse = Number(reader.int64());
        else return false;
        return true;
      });
      return inUse ?? size;
    },
    decodeTxn(message) {
      const reader = new BinaryReader(message);
      const steps: (readonly KeyValue[])[] = [];
      const response = { revision: 0, succeeded: false, steps };
      fields(reader, message.length, (field) => {
        if (field === 1) response.revision = readHeader(reader);
        else if (field === 2) response.succeeded = reader.bool();
        else if (field === 3) steps.push(readStep(reader));
        else return false;
        return true;
      });
      return response;
    },
    decodeWatch(message) {
      const reader = new BinaryReader(message);
      const events: WatchEvent[] = [];
      const response = { revision: 0, created: false, canceled: false, compactRevision: 0, cancelReason: '' };
      let fragment = false;
      fields(reader, message.length, (field) => {
        if (field === 1) response.revision = readHeader(reader);
        else if (field === 3) response.created = reader.bool();
        else if (field === 4) response.canceled = reader.bool();
        else if (field === 5) response.compactRevision = Number(reader.int64());
        else if (field === 6) response.cancelReason = reader.string();
        else if (field === 7) fragment = reader.bool();
        else if (field === 11) events.push(readEvent(reader));
        else return false;
        return true;
      });
      return { ...response, fragment, events };
    },
    decodeAuthenticate(message) {
      const reader = new BinaryReader(message);
      let token = '';
      fields(reader, message.length, (field) => {
        if (field !== 2) return false;
        token = reader.string();
        return true;
      });
      return token;
    },
  };
}
