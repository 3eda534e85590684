import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { encodeJson } from '../../../../src/api/encode/encode-json.js';
import { structOf } from '../../../../src/api/schema/shape.js';
import type { FieldShape, Shape, StructShape } from '../../../../src/api/schema/shape.js';
import { writeEvent } from '../../../../src/events/stored-form/encode-event.js';
import { eventShape } from '../../../../src/events/resource/schema.js';
import type { Event } from '../../../../src/model/event.js';
import { anyEvent } from '../any-event.js';

/** The event's shape without what is not stored. */
const storedShape = (): StructShape => {
  const { byName: _, ...event } = eventShape();
  const fields = event.fields.filter(({ protobuf }) => protobuf !== 0);
  return structOf(
    event,
    fields.map((field): FieldShape => {
      if (field.name !== 'metadata' || field.shape.kind !== 'struct') return field;
      const rest = field.shape.fields.filter(({ name }) => name !== 'resourceVersion');
      return { ...field, shape: structOf(field.shape, rest) };
    }),
  );
};

const decoded = (sent: unknown): Event => {
  const result = decodeObject(sent, eventShape());
  if ('fault' in result) throw new Error(result.fault.text);
  return result.object as unknown as Event;
};

function fullValue(shape: Shape, name: string): unknown {
  switch (shape.kind) {
    case 'struct':
      return Object.fromEntries(shape.fields.map((field) => [field.name, fullValue(field.shape, field.name)]));
    case 'list':
      return [fullValue(shape.item, name)];
    case 'map':
      return { b: fullValue(shape.value, name), a: '"' };
    case 'scalar':
      return { int32: 3, int64: 4, bool: true, json: { 'f:a': {} } }[shape.type as string] ?? `${name} "\\\n`;
  }
}

describe('the text of an event', () => {
  test('agrees with the generic encoder for every field, alone and together', () => {
    const full = fullValue(eventShape(), '') as Record<string, unknown>;
    const metadata = full['metadata'] as Record<string, unknown>;
    const alone = [
      ...Object.keys(full).map((key) => ({ metadata: {}, [key]: full[key] })),
      ...Object.keys(metadata).map((key) => ({ ...full, metadata: { [key]: metadata[key] } })),
      ...eventShape().fields.flatMap(({ name, shape }) =>
        shape.kind !== 'struct' || name === 'metadata'
          ? []
          : shape.fields.map((field) => ({
              metadata: {},
              [name]: { [field.name]: fullValue(field.shape, field.name) },
            })),
      ),
    ];
    for (const event of [full, { metadata: {} }, ...alone]) {
      expect(writeEvent(event as unknown as Event).text).toBe(encodeJson(event, storedShape()));
    }
  });

  test('agrees with the generic encoder for any event', () => {
    fc.assert(
      fc.property(anyEvent(), (sent) => {
        const event = decoded(sent);
        expect(writeEvent(event).text).toBe(encodeJson({ ...event }, storedShape()));
      }),
    );
  });

  test('excludes empty fields', () => {
    const empty = { metadata: { name: '', labels: {}, annotations: {} }, reason: '', regarding: { kind: '' } };
    expect(writeEvent({ ...empty, deprecatedCount: 0 }).text).toBe(encodeJson(empty, storedShape()));
  });
});
