import { expect, test } from 'vitest';
import { asTable, type IncludeObject } from '../../../../src/api/representation/table.js';
import type { FrameType } from '../../../../src/api/representation/contract.js';
import { eventsV1 } from '../../../../src/events/versions/events-v1.js';

const version = eventsV1('example.com');
const encoder = new TextEncoder();

const eventAt = (revision: number): Uint8Array =>
  encoder.encode(JSON.stringify({ kind: 'Event', metadata: { name: `e${revision}`, resourceVersion: `${revision}` } }));

function stream(includeObject: IncludeObject): (type: FrameType, json: Uint8Array) => unknown {
  const write = asTable({ view: version.view, apiVersion: 'meta.k8s.io/v1', includeObject, now: () => 0 }).stream();
  return (type, json) => {
    const { metadata, rows } = JSON.parse(new TextDecoder().decode(write(type, json))) as {
      metadata: unknown;
      rows: readonly { object: { metadata: unknown } | null }[];
    };
    return { table: metadata, row: rows[0]?.object?.metadata };
  };
}

const END = { annotations: { 'k8s.io/initial-events-end': 'true' } };

test('the end of the initial events carries in its row the revision of the latest one that was sent', () => {
  const next = stream('None');
  expect(next('ADDED', eventAt(7))).toEqual({ table: { resourceVersion: '7' }, row: undefined });
  next('ADDED', eventAt(5));
  expect(next('BOOKMARK', version.bookmarkJson('9', true))).toEqual({
    table: { resourceVersion: '9' },
    row: { resourceVersion: '7', ...END },
  });
  expect(next('BOOKMARK', version.bookmarkJson('12', false))).toEqual({
    table: { resourceVersion: '12' },
    row: undefined,
  });
});

test('without an event before it, and with objects in its rows, it carries its own', () => {
  const bookmark = version.bookmarkJson('9', true);
  const own = { table: { resourceVersion: '9' }, row: { resourceVersion: '9', ...END } };
  expect(stream('None')('BOOKMARK', bookmark)).toEqual(own);
  const next = stream('Metadata');
  next('ADDED', eventAt(7));
  expect(next('BOOKMARK', bookmark)).toEqual(own);
});
