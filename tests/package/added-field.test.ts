import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeSource } from '../../scripts/generate/decode.js';
import { eventFields } from '../../scripts/generate/shape-fields.js';
import { selectorSource } from '../../scripts/generate/selectors.js';
import { structOf } from '../../src/api/schema/shape.js';
import type { FieldShape, StructShape } from '../../src/api/schema/shape.js';
import { eventShape, SOURCE } from '../../src/events/resource/schema.js';
import type { EventStore } from '../../src/index.js';
import { behindCacheOf, copyWithAddedFields, runGenerator, testAddedFields, type SchemaCopy } from './added-field.js';
import { root } from './source-files.js';

test('the generated files are up to date with the schema', () => {
  expect(runGenerator(root, '--check')).toBe('');
});

describe('the generator refuses', () => {
  const withField = (more: Partial<FieldShape>): StructShape => {
    const { byName: _, ...event } = eventShape();
    const [last] = event.fields.slice(-1) as [FieldShape];
    return structOf(event, [...event.fields, { ...last, name: 'severity', protobuf: 16, older: undefined, ...more }]);
  };

  test('a protobuf number that is taken, in either version', () => {
    const twice = 'Event has two fields with the same protobuf number';
    expect(() => eventFields(withField({ protobuf: 15 }))).toThrow(twice);
    expect(() => eventFields(withField({ older: { protobuf: 3 } }))).toThrow(twice);
  });

  test('a place among selectable fields that is taken, or leaves a gap', () => {
    for (const selectable of [3, 14]) {
      expect(() => selectorSource(eventFields(withField({ selectable })), SOURCE)).toThrow('the next free one is');
    }
    expect(selectorSource(eventFields(withField({ selectable: 13 })), SOURCE)).toContain("fields['severity']");
  });
});

describe('the generator names the field', () => {
  const withText = (frequency: FieldShape['frequency']): StructShape => {
    const { byName: _, ...event } = eventShape();
    const [note] = event.fields.filter(({ name }) => name === 'note') as [FieldShape];
    const at = event.fields.indexOf(note);
    const severity = { ...note, name: 'severity', protobuf: 16, older: undefined, frequency };
    return structOf(event, [...event.fields.slice(0, at), severity, ...event.fields.slice(at)]);
  };

  test('that is often sent without being a struct', () => {
    expect(() => decodeSource(eventFields(withText('often')))).toThrow(
      "severity cannot have frequency 'often', which is for structs",
    );
    expect(decodeSource(eventFields(withText('sent')))).toContain('isText(severity)');
  });
});

describe('a field that is added to the schema in one line', () => {
  let made: SchemaCopy;
  beforeAll(async () => {
    made = await copyWithAddedFields();
  }, 120_000);
  afterAll(() => made.remove());

  test('is in all generated files that name the fields', () => {
    expect(made.written.split('\n').filter(Boolean).sort()).toEqual(
      [
        'written: src/model/event.ts',
        'written: src/events/codec/compare-events.ts',
        'written: src/events/codec/write-event.ts',
        'written: src/store/contract/schema-facts.ts',
      ].sort(),
    );
  });

  const copy = (): SchemaCopy => made;
  const memory = (): EventStore => made.index.memoryStore();
  const sqlite = (name: string): EventStore => made.sqlite.sqliteStore({ path: join(made.folder, `${name}.db`) });
  const cached = (name: string): Promise<EventStore> => behindCacheOf(made, sqlite(`${name}-cached`));

  testAddedFields('in the memory store', { copy, open: memory, openTarget: () => sqlite('copy'), isDurable: false });
  testAddedFields('in the SQLite store', { copy, open: sqlite, openTarget: memory, isDurable: true });
  testAddedFields('in the SQLite store behind a watch cache', { copy, open: cached, isDurable: true });
});
