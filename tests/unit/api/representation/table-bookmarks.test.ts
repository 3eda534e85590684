import { expect, test } from 'vitest';
import { asTable, type IncludeObject } from '../../../../src/api/representation/table.js';
import type { FrameType } from '../../../../src/api/representation/contract.js';
import type { Event } from '../../../../src/model/event.js';
import type { ObjectMeta } from '../../../../src/model/object-meta.js';
import { eventsV1 } from '../../../../src/events/versions/events-v1.js';

const version = eventsV1('example.com');
const encoder = new TextEncoder();

const eventAt = (revision: number): Uint8Array =>
  encoder.encode(JSON.stringify({ kind: 'Event', metadata: { name: `e${revision}`, resourceVersion: `${revision}` } }));

function stream(includeObject: IncludeObject): (type: FrameType, json: Uint8Array) => unknown {
  const write = asTable(version.view, 'meta.k8s.io/v1', includeObject, () => 0).stream();
  return (type, json) => {
    const { metadata, rows } = JSON.parse(new TextDecoder().decode(write(type, json))) as {
      metadata: unknown;
      rows: readonly { object: { metadata: unknown } | null }[];
    };
    return { table: metadata, row: rows[0]?.object?.metadata };
  };
}

const bookmark = (metadata: ObjectMeta): Uint8Array => version.unstoredJson({ metadata } as Event);

const END = { annotations: { 'k8s.io/initial-events-end': 'true' } };

test('the bookmark that ends the initial events has in its row the highest revision sent before it', () => {
  const next = stream('None');
  expect(next('ADDED', eventAt(7))).toEqual({ table: { resourceVersion: '7' }, row: undefined });
  next('ADDED', eventAt(5));
  expect(next('BOOKMARK', bookmark({ resourceVersion: '9', ...END }))).toEqual({
    table: { resourceVersion: '9' },
    row: { resourceVersion: '7', ...END },
  });
  expect(next('BOOKMARK', bookmark({ resourceVersion: '12' }))).toEqual({
    table: { resourceVersion: '12' },
    row: undefined,
  });
});

test('the bookmark that ends no initial events, or has metadata in its row, has its own revision there', () => {
  const last = bookmark({ resourceVersion: '9', ...END });
  const own = { table: { resourceVersion: '9' }, row: { resourceVersion: '9', ...END } };
  expect(stream('None')('BOOKMARK', last)).toEqual(own);
  const next = stream('Metadata');
  next('ADDED', eventAt(7));
  expect(next('BOOKMARK', last)).toEqual(own);
});
