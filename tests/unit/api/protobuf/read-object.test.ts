import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { readMessage } from '../../../../src/api/protobuf/read-message.js';
import { countingReader, MAGIC } from '../../../../src/api/protobuf/wire.js';
import { readProtobuf } from '../../../../src/api/protobuf/read-object.js';
import { protobufWriter } from '../../../../src/api/representation/protobuf.js';
import { deleteOptionsShape } from '../../../../src/api/schema/meta-shapes.js';
import type { StructShape } from '../../../../src/api/schema/shape.js';
import { coreEventShape, eventShape } from '../../../../src/events/resource/schema.js';
import { GOLDEN, goldenNamed, jsonBytes } from './golden.js';

const NAMES = { apiVersion: 'events.k8s.io/v1', kind: 'Event' };

function enveloped(message: Uint8Array, more: (writer: BinaryWriter) => void = () => undefined): Uint8Array {
  const writer = new BinaryWriter();
  writer.raw(MAGIC);
  writer.tag(1, 2).fork().tag(1, 2).string(NAMES.apiVersion).tag(2, 2).string(NAMES.kind).join();
  more(writer);
  return writer.tag(2, 2).bytes(message).finish();
}

/** A message, field by field. */
function built(write: (writer: BinaryWriter) => void): Uint8Array {
  const writer = new BinaryWriter();
  write(writer);
  return writer.finish();
}

async function read(body: Uint8Array, shape: StructShape = eventShape()): Promise<Record<string, unknown>> {
  const found = readProtobuf(body, createBodyLimits());
  if ('error' in found) throw new Error(`envelope: ${found.error}`);
  const message = found.read(shape);
  if ('error' in message) throw new Error(message.error);
  const decoded = decodeObject(message.value, shape);
  if ('fault' in decoded) throw new Error(decoded.fault.text);
  return decoded.object;
}

const event = (write: (writer: BinaryWriter) => void): Promise<Record<string, unknown>> =>
  read(enveloped(built(write)));

const shapeOf = (name: string): StructShape => {
  if (name.startsWith('DeleteOptions')) return deleteOptionsShape();
  return name.startsWith('core') ? coreEventShape() : eventShape();
};

describe('a message written by Kubernetes', () => {
  const samples = GOLDEN.filter(({ name, type }) => type === undefined && /Event,|core|DeleteOptions/.test(name));

  it.each(samples.map((one) => [one.name, one]))('is read as the object its JSON is: %s', async (name, golden) => {
    const decoded = decodeObject(golden.object, shapeOf(name));
    expect('object' in decoded && (await read(golden.bytes, shapeOf(name)))).toEqual(
      'object' in decoded && decoded.object,
    );
    expect(readProtobuf(golden.bytes, createBodyLimits())).toMatchObject({
      kind: golden.object['kind'],
      apiVersion: golden.object['apiVersion'],
    });
  });

  it('that is truncated anywhere is an error or a shorter object, never an exception', async () => {
    const { bytes } = goldenNamed('events/v1 Event, everything');
    for (let length = 0; length < bytes.length; length++) {
      const found = readProtobuf(bytes.subarray(0, length), createBodyLimits());
      if ('read' in found) expect(Object.keys(found.read(eventShape()))).toHaveLength(1);
      else expect(found.error).toMatch(/^(empty|proto|unexpected EOF|provided data)/);
    }
  });
});

describe('envelopes', () => {
  it.each([
    ['', 'empty data'],
    ['k8s', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    ['k8s/\n', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    ['{"kind":"Event"}', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
    ['k8s\0', 'empty body'],
    ['k8s\0\n', 'unexpected EOF'],
    ['k8s\0\n\x7f', 'unexpected EOF'],
    ['k8s\0\x08\x01', 'proto: wrong wireType = 0 for field TypeMeta'],
    ['k8s\0\n\x02\x08\x01', 'proto: wrong wireType = 0 for field APIVersion'],
    ['k8s\0\x1c', 'proto: Unknown: wiretype end group for non-group'],
    ['k8s\0\n\x03\n\x05abcdef', 'unexpected EOF'],
  ])('%j cannot be read: %s', async (text, error) => {
    expect(readProtobuf(new TextEncoder().encode(text), createBodyLimits())).toEqual({ error });
  });

  it('may be empty, and may have unknown fields', async () => {
    const empty = readProtobuf(Uint8Array.of(...MAGIC, 0x7a, 0x01, 0x00), createBodyLimits());
    expect(empty).toMatchObject({ kind: '', apiVersion: '' });
    const more = enveloped(new Uint8Array(0), (writer) => writer.tag(99, 5).fixed32(7).tag(3, 2).string('gzip'));
    expect(readProtobuf(more, createBodyLimits())).toMatchObject(NAMES);
  });
});

describe('messages', () => {
  it('may have as many fields as a body may, and no more', async () => {
    const body = enveloped(
      built((writer) => {
        for (let i = 0; i < 5; i++) writer.tag(7, 2).string('Started');
      }),
    );
    const readWithin = (members: number): unknown => {
      const found = readProtobuf(body, createBodyLimits(members));
      return 'read' in found && found.read(eventShape());
    };
    expect(readWithin(5)).toEqual({ value: { reason: 'Started' } });
    const refusal = (most: number): string => `the body has more than ${most} fields and list items`;
    expect(() => readWithin(4)).toThrow(refusal(4));
    // The envelope alone has four.
    expect(() => readProtobuf(body, createBodyLimits(3))).toThrow(refusal(3));
  });

  it.each<[string, (writer: BinaryWriter) => void, number]>([
    ['a long text', (writer) => writer.tag(10, 2).string('x'.repeat(2_560)), 11],
    ['the messages around it', (writer) => writer.tag(8, 2).fork().tag(3, 2).string('x'.repeat(2_560)).join(), 12],
    ['a text that is not long', (writer) => writer.tag(10, 2).string('x'.repeat(250)), 1],
    [
      'entries of a map',
      (writer) => {
        writer.tag(1, 2).fork();
        for (const key of ['a', 'b', 'c']) writer.tag(12, 2).fork().tag(1, 2).string(key).tag(2, 2).string('x').join();
        writer.join();
      },
      4,
    ],
    // Otherwise it would cost nothing to add more of them.
    [
      'empty entries of a map',
      (writer) => writer.tag(1, 2).fork().tag(12, 2).fork().join().tag(12, 2).fork().join().join(),
      3,
    ],
  ])('count as in JSON: %s', (_what, write, members) => {
    const message = built((writer) => {
      write(writer);
      writer.tag(7, 2).string('last');
    });
    const within = (most: number): unknown => readMessage(countingReader(message, most), eventShape(), message.length);
    expect(within(members + 1)).toMatchObject({ reason: 'last' });
    expect(() => within(members)).toThrow(`the body has more than ${members} fields and list items`);
  });

  it('have as many entries of a map as JSON may have', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: 1_400 }, (_, index) => [`example.com/annotation-${index}`, 'x'.repeat(60)]),
    );
    const message = built((writer) => {
      writer.tag(1, 2).fork();
      for (const [key, value] of Object.entries(entries))
        writer.tag(12, 2).fork().tag(1, 2).string(key).tag(2, 2).string(value).join();
      writer.join();
    });
    expect(await read(enveloped(message))).toMatchObject({ metadata: { annotations: entries } });
  });

  it('exclude empty values, as JSON does', async () => {
    expect(await event((writer) => writer.tag(10, 2).string('').tag(15, 0).int32(0))).not.toHaveProperty('note');
  });

  it('keep a pointer to something empty', async () => {
    expect(await event((writer) => writer.tag(9, 2).bytes(new Uint8Array(0)))).toHaveProperty('related', {});
  });

  it('take the last of repeated scalar fields, join lists and merge messages', async () => {
    const object = await event((writer) => {
      writer.tag(10, 2).string('first').tag(10, 2).string('last');
      writer.tag(8, 2).fork().tag(1, 2).string('Pod').tag(3, 2).string('a').join();
      writer.tag(8, 2).fork().tag(3, 2).string('b').join();
      writer.tag(1, 2).fork().tag(14, 2).string('example.com/a').tag(14, 2).string('example.com/b').join();
    });
    expect(object).toMatchObject({
      note: 'last',
      regarding: { kind: 'Pod', name: 'b' },
      metadata: { finalizers: ['example.com/a', 'example.com/b'] },
    });
  });

  it('may have unknown fields and groups', async () => {
    const object = await event((writer) => {
      writer
        .tag(500, 0)
        .uint64(2n ** 64n - 1n)
        .tag(501, 1)
        .fixed64(1n)
        .tag(502, 2)
        .string('x')
        .tag(503, 5)
        .fixed32(1);
      writer.tag(504, 3).tag(1, 0).int32(1).tag(504, 4);
      writer.tag(10, 2).string('kept');
    });
    expect(object).toHaveProperty('note', 'kept');
  });

  it('treat keys such as __proto__ as data', async () => {
    const object = await event((writer) => {
      writer.tag(1, 2).fork();
      for (const key of ['__proto__', 'constructor']) {
        writer.tag(11, 2).fork().tag(1, 2).string(key).tag(2, 2).string('x').join();
      }
      writer.join();
    });
    const { labels } = object['metadata'] as { labels: Record<string, string> };
    expect(Object.keys(labels)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('treat a missing key or value of a map entry as empty', async () => {
    const object = await event((writer) => {
      writer.tag(1, 2).fork().tag(11, 2).fork().tag(1, 2).string('a').join();
      writer.tag(11, 2).fork().tag(2, 2).string('b').tag(3, 0).int32(1).join().join();
    });
    expect({ ...(object['metadata'] as { labels: object }).labels }).toEqual({ a: '', '': 'b' });
  });

  it('replace invalid UTF-8 by U+FFFD and keep a byte order mark', async () => {
    const object = await event((writer) => {
      writer.tag(10, 2).bytes(Uint8Array.of(0x61, 0xff)).tag(7, 2).string('\ufeffx');
    });
    expect(object).toMatchObject({ note: 'a\ufffd', reason: '\ufeffx' });
  });

  it('bring int64 into the range of JSON numbers', async () => {
    const generation = async (value: bigint): Promise<unknown> => {
      const object = await event((writer) => writer.tag(1, 2).fork().tag(7, 0).int64(value).join());
      return (object['metadata'] as { generation?: number }).generation;
    };
    expect(await generation(-5n)).toBe(-5);
    expect(await generation(2n ** 53n)).toBe(2 ** 53);
    expect(await generation(2n ** 63n - 1n)).toBe(2 ** 63 - 1024);
    expect(await generation(-(2n ** 63n))).toBe(-(2 ** 63));
  });

  it.each<[string, (writer: BinaryWriter) => void, string]>([
    ['a number where a text belongs', (writer) => writer.tag(7, 0).int32(1), 'wrong wireType = 0 for field Reason'],
    [
      'a text where a number belongs',
      (writer) => writer.tag(15, 2).string('1'),
      'wrong wireType = 2 for field DeprecatedCount',
    ],
    [
      'a number where metadata belongs',
      (writer) => writer.tag(1, 0).int32(1),
      'wrong wireType = 0 for field ObjectMeta',
    ],
    [
      'a number where a uid belongs',
      (writer) => writer.tag(1, 2).fork().tag(5, 0).int32(1).join(),
      'wrong wireType = 0 for field UID',
    ],
    ['field number 0', (writer) => writer.uint32(2), 'proto: illegal tag'],
    ['an end without a group', (writer) => writer.tag(7, 4), 'wrong wireType = 4 for field Reason'],
    [
      'an end without a group of an unknown field',
      (writer) => writer.tag(70, 4),
      'proto: Event: wiretype end group for non-group',
    ],
    ['a group without end', (writer) => writer.tag(70, 3), 'unexpected EOF'],
    ['an unknown wire type', (writer) => writer.uint32(70 * 8 + 6), 'proto: illegal tag'],
    ['a length beyond the end', (writer) => writer.tag(7, 2).uint32(100), 'unexpected EOF'],
    ['a length of four gigabytes', (writer) => writer.tag(7, 2).uint32(0xffffffff), 'unexpected EOF'],
    [
      'a length beyond the end of its message',
      (writer) => writer.tag(8, 2).uint32(2).tag(1, 2).uint32(3).raw(new Uint8Array(8)),
      'unexpected EOF',
    ],
    [
      'a message beyond the end of its message',
      (writer) => writer.tag(1, 2).uint32(3).tag(17, 2).uint32(4).tag(1, 0).int32(1).raw(new Uint8Array(8)),
      'unexpected EOF',
    ],
    ['a number that never ends', (writer) => writer.tag(15, 0).raw(new Uint8Array(11).fill(0xff)), 'proto: '],
    [
      'a time of no number',
      (writer) => writer.tag(2, 2).fork().tag(1, 2).string('x').join(),
      'wrong wireType = 2 for field Seconds',
    ],
    [
      'an end without a group in a time',
      (writer) => writer.tag(2, 2).fork().tag(70, 4).join(),
      'proto: Timestamp: wiretype end group for non-group',
    ],
    [
      'the year 10000',
      (writer) => writer.tag(2, 2).fork().tag(1, 0).int64(253_402_300_800).join(),
      'year out of range for field EventTime',
    ],
    [
      'the largest number of seconds',
      (writer) =>
        writer
          .tag(13, 2)
          .fork()
          .tag(1, 0)
          .int64(2n ** 63n - 1n)
          .join(),
      'year out of range for field DeprecatedFirstTimestamp',
    ],
    [
      'groups without end',
      (writer) => writer.raw(new Uint8Array(100_000).fill(0x1b | 0x80).map((byte, at) => (at % 2 ? 0x04 : byte))),
      'recursion',
    ],
  ])('with %s are refused', async (_what, write, error) => {
    await expect(event(write)).rejects.toThrow(error);
  });

  it('hold free JSON as bytes, which must be JSON', async () => {
    const fields = (raw: string): Promise<Record<string, unknown>> =>
      event((writer) => {
        writer.tag(1, 2).fork().tag(17, 2).fork().tag(7, 2).fork();
        writer.tag(1, 2).string(raw).tag(2, 2).string('unknown').join().join().join();
      });
    expect(await fields('{"f:note":{}}')).toMatchObject({
      metadata: { managedFields: [{ fieldsV1: { 'f:note': {} } }] },
    });
    expect(await fields('')).toMatchObject({ metadata: { managedFields: [{}] } });
    await expect(fields('{"f:note"')).rejects.toThrow(
      'proto: invalid JSON for field FieldsV1: unexpected end of JSON input',
    );
    await expect(fields('['.repeat(100_000))).rejects.toThrow('invalid JSON');
  });
});

describe('times', () => {
  const eventTime = async (seconds: number, nanos: number): Promise<unknown> =>
    (await event((writer) => writer.tag(2, 2).fork().tag(1, 0).int64(seconds).tag(2, 0).int32(nanos).join()))[
      'eventTime'
    ];

  it.each([
    [0, 0, '1970-01-01T00:00:00.000000Z'],
    [1_709_618_828, 123_456_999, '2024-03-05T06:07:08.123456Z'],
    [-1, 999_999_999, '1969-12-31T23:59:59.999999Z'],
    [5, -1, '1970-01-01T00:00:05.000000Z'],
    [5, -1000, '1970-01-01T00:00:04.999999Z'],
    [5, 2_000_000_001, '1970-01-01T00:00:07.000000Z'],
    [-62_135_596_800, 0, null],
    [-62_135_596_800, 1000, '0001-01-01T00:00:00.000001Z'],
  ])('of %d seconds and %d nanoseconds are read as %s', async (seconds, nanos, text) => {
    expect(await eventTime(seconds, nanos)).toBe(text);
  });

  it('without bytes are unset, even after one that was set', async () => {
    const object = await event((writer) => {
      writer.tag(2, 2).fork().tag(1, 0).int64(5).join().tag(2, 2).bytes(new Uint8Array(0));
    });
    expect(object['eventTime']).toBeNull();
  });

  it('that are no micro-times have no fraction', async () => {
    const object = await event((writer) =>
      writer.tag(13, 2).fork().tag(1, 0).int64(5).tag(2, 0).int32(999_999_999).join(),
    );
    expect(object['deprecatedFirstTimestamp']).toBe('1970-01-01T00:00:05Z');
  });
});

describe('for any object or bytes', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const time = fc
    .tuple(fc.integer({ min: -62_000_000_000, max: 253_402_300_799 }), fc.integer({ min: 0, max: 999_999 }))
    .map(
      ([seconds, micros]) =>
        `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}Z`,
    );
  const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  const reference = fc.record({ kind: text, name: text, uid: text }, { requiredKeys: [] });
  const events = fc.record(
    {
      metadata: fc.record(
        {
          name: text,
          labels: fc.dictionary(text, text, { noNullPrototype: false }),
          finalizers: fc.array(text),
          generation: fc.maxSafeInteger(),
          deletionGracePeriodSeconds: fc.maxSafeInteger(),
          ownerReferences: fc.array(fc.record({ kind: text, controller: fc.boolean() }, { requiredKeys: [] })),
          // JSON distinguishes an empty list from none at all, protobuf does not.
          managedFields: fc.array(
            fc.record({ manager: text, fieldsV1: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })) }),
            { minLength: 1 },
          ),
        },
        { requiredKeys: [] },
      ),
      eventTime: time,
      series: fc.record({ count: int32, lastObservedTime: time }, { requiredKeys: [] }),
      note: fc.string({ unit: 'binary', maxLength: 400 }),
      regarding: reference,
      related: reference,
      deprecatedCount: int32,
    },
    { requiredKeys: [] },
  );

  it('writing and reading gives the same object', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (sent) => {
        const decoded = decodeObject(JSON.parse(JSON.stringify(sent)), eventShape());
        if (!('object' in decoded)) throw new Error('the event is not one');
        const view = { ...NAMES, listKind: 'EventList', shape: eventShape(), table: { columns: [], cells: () => [] } };
        const bytes = await protobufWriter.value(jsonBytes({ ...NAMES, ...decoded.object }), view);
        expect(await read(bytes as Uint8Array)).toEqual(decoded.object);
      }),
      { numRuns: 150 },
    );
  });

  it('reading ends in an object or an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (message) => {
        for (const body of [enveloped(message), Uint8Array.of(...MAGIC, ...message)]) {
          const found = readProtobuf(body, createBodyLimits());
          if ('error' in found) continue;
          const result = found.read(eventShape());
          expect('value' in result || result.error.length > 0).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
