import { BinaryReader } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import type { ResourceView } from '../../../../src/api/representation/contract.js';
import { negotiate } from '../../../../src/api/representation/negotiate.js';
import { respondDocument, respondFailure } from '../../../../src/api/representation/respond.js';
import { protobufWriter } from '../../../../src/api/representation/protobuf.js';
import { coreEventShape, eventShape } from '../../../../src/events/resource/schema.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import type { ListMeta } from '../../../../src/model/object-meta.js';
import type { Status } from '../../../../src/model/status.js';
import { GOLDEN, goldenNamed, hex, jsonBytes } from './golden.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const METADATA = 'as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const METADATA_LIST = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

const viewOf = (apiVersion: string): ResourceView => ({
  apiVersion,
  kind: 'Event',
  listKind: 'EventList',
  shape: apiVersion === 'v1' ? coreEventShape() : eventShape(),
  table: { columns: [], cells: () => [] },
});
const view = viewOf('events.k8s.io/v1');
const now = (): number => 0;

async function bytesOf(response: ApiResponse | Promise<ApiResponse>): Promise<Uint8Array> {
  const { body } = await response;
  if (body instanceof Uint8Array) return body;
  if (body === null || typeof body === 'string') throw new Error('expected bytes');
  const parts: Uint8Array[] = [];
  for await (const chunk of body) parts.push(Uint8Array.from(chunk));
  return Buffer.concat(parts);
}

describe('objects', () => {
  it.each(
    GOLDEN.filter(({ name, type }) => !name.includes('List') && type === undefined).map((one) => [one.name, one]),
  )('are written as Kubernetes writes them: %s', async (_name, { object, bytes }) => {
    const written = await protobufWriter.value(jsonBytes(object), viewOf(object['apiVersion'] as string));
    expect(hex(written as Uint8Array)).toBe(hex(bytes));
  });

  it.each(['APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList', 'APIGroupDiscoveryList'])(
    'of the document %s need no resource',
    async (name) => {
      const { object, bytes } = goldenNamed(name);
      const response = await respondDocument(jsonBytes(object), { accept: PROTOBUF });
      expect(response.headers['content-type']).toBe(PROTOBUF);
      expect(hex(await bytesOf(response))).toBe(hex(bytes));
    },
  );

  it('of an unknown kind are refused', async () => {
    await expect(async () => protobufWriter.value(jsonBytes({ kind: 'Table' }))).rejects.toThrow('"Table"');
  });

  it('are available as metadata only', async () => {
    const { object, bytes } = goldenNamed('PartialObjectMetadata');
    const event = { kind: 'Event', apiVersion: view.apiVersion, metadata: object['metadata'], note: 'gone' };
    const representation = negotiate({ accept: `${PROTOBUF};${METADATA}` }, view, 'object', now);
    expect(hex(await bytesOf(representation.object(jsonBytes(event), 200)))).toBe(hex(bytes));
  });
});

describe('lists', () => {
  const items = (object: Readonly<Record<string, unknown>>): readonly Uint8Array[] =>
    (object['items'] as readonly unknown[]).map(jsonBytes);
  const written = (accept: string, meta: ListMeta, batches: readonly (readonly Uint8Array[])[]) =>
    negotiate({ accept }, view, 'list', now).list(meta, batches);

  it.each(['events/v1 EventList', 'events/v1 EventList, empty'])(
    'are written as Kubernetes writes them: %s',
    async (name) => {
      const { object, bytes } = goldenNamed(name);
      const response = await written(PROTOBUF, object['metadata'] as ListMeta, [items(object)]);
      expect(response.headers['content-type']).toBe(PROTOBUF);
      expect(hex(await bytesOf(response))).toBe(hex(bytes));
    },
  );

  it('are available as metadata only', async () => {
    const { object, bytes } = goldenNamed('PartialObjectMetadataList');
    const batches = [
      (object['items'] as { metadata: unknown }[]).map(({ metadata }) => jsonBytes({ metadata, note: 'x' })),
    ];
    const response = written(`${PROTOBUF};${METADATA_LIST}`, object['metadata'] as ListMeta, batches);
    expect(hex(await bytesOf(response))).toBe(hex(bytes));
  });

  it('are streamed with the same bytes when they are long', async () => {
    const item = items(goldenNamed('events/v1 EventList').object)[0] as Uint8Array;
    const count = 2000;
    const batches = [Array<Uint8Array>(count / 2).fill(item), Array<Uint8Array>(count / 2).fill(item)];
    const response = await written(PROTOBUF, { resourceVersion: '1' }, batches);
    expect(response.body).not.toBeInstanceOf(Uint8Array);
    const all = await bytesOf(response);
    const reader = new BinaryReader(all.subarray(4));
    const found = new Map<number, Uint8Array>();
    while (reader.pos < reader.len) found.set(reader.tag()[0], reader.bytes());
    const list = new BinaryReader(found.get(2) as Uint8Array);
    const numbers: number[] = [];
    const messages = new Set<string>();
    while (list.pos < list.len) {
      numbers.push(list.tag()[0]);
      messages.add(hex(list.bytes()));
    }
    expect(numbers).toEqual([1, ...Array<number>(count).fill(2)]);
    expect(messages.size).toBe(2);
    expect(hex(all.subarray(0, 4))).toBe('6b387300');
    expect(hex(all.subarray(-4))).toBe('1a002200');
  });

  it('fail with the error of the store', async () => {
    async function* failing(): AsyncGenerator<readonly Uint8Array[]> {
      yield [];
      throw new Error('the store is gone');
    }
    await expect(async () => negotiate({ accept: PROTOBUF }, view, 'list', now).list({}, failing())).rejects.toThrow(
      'the store is gone',
    );
  });
});

describe('watches', () => {
  it.each(GOLDEN.filter(({ type }) => type !== undefined).map((one) => [one.name, one]))(
    'have frames as Kubernetes writes them: %s',
    async (_name, { object, bytes, type = 'ADDED' }) => {
      const partial = object['kind'] === 'PartialObjectMetadata';
      const accept = partial ? `${PROTOBUF};${METADATA}` : `${PROTOBUF};stream=watch`;
      const representation = negotiate({ accept }, view, 'watch', now);
      expect(representation.streamType).toBe(`${PROTOBUF};stream=watch`);
      const frame = (await representation.frames()).encode(type, jsonBytes(object));
      expect(frame && hex(frame)).toBe(hex(bytes));
    },
  );

  it('share no frames with watches in JSON', async () => {
    const keyOf = async (accept: string): Promise<unknown> =>
      (await negotiate({ accept }, view, 'watch', now).frames()).cacheKey;
    expect(await keyOf(PROTOBUF)).toBeDefined();
    expect(await keyOf(PROTOBUF)).not.toBe(await keyOf('application/json'));
    expect(await keyOf(PROTOBUF)).not.toBe(await keyOf(`${PROTOBUF};${METADATA}`));
  });
});

describe('negotiation', () => {
  const TABLE = 'as=Table;v=v1;g=meta.k8s.io';

  it('offers no Tables in protobuf: the next clause counts, or 406', async () => {
    expect(() => negotiate({ accept: `${PROTOBUF};${TABLE}` }, view, 'object', now)).toThrow(
      'only the following media types',
    );
    const accept = `${PROTOBUF};${TABLE}, application/json;${TABLE}`;
    const response = await negotiate({ accept }, view, 'object', now).object(jsonBytes({ metadata: {} }), 200);
    expect(response.headers['content-type']).toBe('application/json');
  });

  it.each([undefined, '*/*', 'application/*', 'application/json, application/vnd.kubernetes.protobuf'])(
    'serves %s in JSON',
    async (accept) => {
      const response = await negotiate({ accept }, view, 'object', now).object(jsonBytes({ metadata: {} }), 200);
      expect(response.headers['content-type']).toBe('application/json');
    },
  );

  it.each(['Status, failure', 'Status, empty details'])('writes the failure "%s" in protobuf', async (name) => {
    const { object, bytes } = goldenNamed(name);
    const accept = `${PROTOBUF}, application/json`;
    const response = await respondFailure(object as unknown as Status, { accept });
    expect(response.status).toBe((object as unknown as Status).code);
    expect(response.headers['content-type']).toBe(PROTOBUF);
    expect(hex(await bytesOf(response))).toBe(hex(bytes));
  });
});
