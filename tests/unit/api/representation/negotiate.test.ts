import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { negotiationInputs, type NegotiationInputs } from '../../../../src/api/representation/choice.js';
import type { ResponseKind, Representation, ResourceView } from '../../../../src/api/representation/contract.js';
import { COLLECTION_MEDIA_TYPES, OBJECT_MEDIA_TYPES } from '../../../../src/api/representation/media-types.js';
import { negotiate, routerAccepts } from '../../../../src/api/representation/negotiate.js';
import { respondFailure } from '../../../../src/api/representation/respond.js';
import { notFound } from '../../../../src/api/status/failures.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { eventShape } from '../../../../src/events/resource/schema.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import type { Status } from '../../../../src/model/status.js';

const view: ResourceView = {
  apiVersion: 'events.example.com/v1',
  kind: 'Event',
  listKind: 'EventList',
  shape: eventShape(),
  table: {
    columns: [{ name: 'Name', type: 'string', format: 'name', description: 'its name', priority: 0 }],
    cells: (object) => [(object as { metadata: { name?: string } }).metadata.name ?? '', 1],
  },
};
const now = (): number => 0;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const EVENT =
  '{"kind":"Event","apiVersion":"events.example.com/v1","metadata":{"name":"a","resourceVersion":"7"},"note":"<&>"}';
const ITEM = '{"metadata":{"name":"a","resourceVersion":"7"},"note":"<&>"}';
const COLUMNS = JSON.stringify(view.table.columns);
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const PARTIAL =
  '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"7"}}';

const choose = (inputs: NegotiationInputs | string, responseKind: ResponseKind = 'object'): Representation =>
  negotiate(typeof inputs === 'string' ? { accept: inputs } : inputs, view, responseKind, now);

async function textOf(response: ApiResponse | Promise<ApiResponse>): Promise<string> {
  const { body } = await response;
  if (body === null || typeof body === 'string') return body ?? '';
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const parts: Buffer[] = [];
  for await (const chunk of body) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts).toString();
}

const typeOf = async (response: ApiResponse | Promise<ApiResponse>): Promise<unknown> =>
  (await response).headers['content-type'];

const object = (inputs: NegotiationInputs | string): Promise<string> =>
  textOf(choose(inputs).object(encode(EVENT), 200));
const list = (
  inputs: NegotiationInputs | string,
  items: readonly string[],
  meta = { resourceVersion: '9' },
): Promise<string> => textOf(choose(inputs, 'list').list(meta, [items.map(encode)]));

function refused(run: () => unknown): Status {
  try {
    run();
  } catch (error) {
    if (isStatusFailure(error)) return error.status;
    throw error;
  }
  throw new Error('it was accepted');
}

const ONLY = 'only the following media types are accepted: ';
const OBJECT_TYPES = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

describe('routerAccepts', () => {
  it('accepts declared types and */*', () => {
    for (const accept of [undefined, '', '*/*', 'application/yaml', TABLE, 'text/html, application/json;q=0']) {
      expect(routerAccepts(accept, OBJECT_MEDIA_TYPES)).toBeUndefined();
    }
  });

  it('refuses everything else with the list of types and empty details', () => {
    for (const accept of ['text/html', 'application/*', 'APPLICATION/JSON']) {
      expect(routerAccepts(accept, OBJECT_MEDIA_TYPES)?.status).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `406: Not Acceptable\n\nAvailable representations: ${OBJECT_TYPES}`,
        reason: 'NotAcceptable',
        details: {},
        code: 406,
      });
    }
    expect(routerAccepts('text/html', COLLECTION_MEDIA_TYPES)?.status.message).toMatch(
      /protobuf, application\/json;stream=watch, application\/vnd.kubernetes.protobuf;stream=watch$/,
    );
  });
});

describe('media types', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/yaml', 'application/yaml'],
    ['application/vnd.kubernetes.protobuf, application/json', 'application/vnd.kubernetes.protobuf'],
    ['text/html, application/json', 'application/json'],
    ['application/json;q=0', 'application/json'],
    ['application/json;q=0.1, application/yaml', 'application/yaml'],
    ['application/json;as=Nope;v=v1;g=meta.k8s.io, application/json', 'application/json'],
    ['application/json;stream=nope, application/yaml', 'application/yaml'],
    ['application/json;sv=v2, application/yaml', 'application/yaml'],
    ['application/yaml;sv=v1, application/json', 'application/yaml'],
    ['application/yaml;stream=watch, application/json', 'application/json'],
  ])('are negotiated: %s gives %s', async (accept, type) => {
    expect(await typeOf(choose({ accept }).object(encode(EVENT), 200))).toBe(type);
  });

  it('that are refused list the available ones', () => {
    for (const accept of [
      'application/cbor',
      'application/json;as=Nope;v=v1;g=meta.k8s.io',
      'application/json;as=Table;v=v2;g=meta.k8s.io',
      'application/json;as=Table;v=v1',
      'application/json;g=meta.k8s.io',
      'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
    ]) {
      expect(refused(() => choose(accept))).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: ONLY + OBJECT_TYPES,
        reason: 'NotAcceptable',
        code: 406,
      });
    }
  });

  it('of watches are those of streams', () => {
    const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
    expect(refused(() => choose('application/yaml', 'watch')).message).toBe(ONLY + streams);
    expect(refused(() => choose('application/json;as=Nope;v=v1;g=meta.k8s.io', 'watch')).message).toBe(
      ONLY + OBJECT_TYPES,
    );
    expect(choose('application/json;stream=watch', 'watch').streamType).toBe('application/json');
  });
});

describe('objects', () => {
  it('are compact JSON with a newline, kept byte by byte', async () => {
    expect(await object({})).toBe(`${EVENT}\n`);
    expect((await choose({}).object(encode(EVENT), 201)).status).toBe(201);
  });

  it('are YAML with sorted keys on request', async () => {
    const yaml = await object('application/yaml');
    expect(yaml.split('\n').filter((line) => /^\w/.test(line))).toEqual([
      'apiVersion: events.example.com/v1',
      'kind: Event',
      'metadata:',
      expect.stringMatching(/^note: /),
    ]);
  });

  it('are metadata only on request, in either version', async () => {
    expect(await object(METADATA)).toBe(`${PARTIAL}\n`);
    expect(await object(METADATA.replace('v=v1', 'v=v1beta1'))).toContain('"apiVersion":"meta.k8s.io/v1beta1"');
  });

  it('are a Table of one row on request', async () => {
    const metadata = '"metadata":{"resourceVersion":"7"}';
    expect(await object(TABLE)).toBe(
      `{"kind":"Table","apiVersion":"meta.k8s.io/v1",${metadata},"columnDefinitions":${COLUMNS},"rows":[{"cells":["a",1],"object":${PARTIAL}}]}\n`,
    );
  });

  it('cannot be converted to lists', () => {
    expect(refused(() => choose(METADATA_LIST)).message).toBe(
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.Event)',
    );
  });
});

describe('pretty JSON', () => {
  const compact = `${EVENT}\n`;
  const indented = JSON.stringify(JSON.parse(EVENT), null, 2);

  it.each([
    [{ pretty: 'true' }, indented],
    [{ pretty: '1' }, indented],
    [{ pretty: 'T' }, indented],
    [{ pretty: '' }, compact],
    [{ pretty: 'yes' }, compact],
    [{ pretty: 'tRuE' }, compact],
    [{ userAgent: 'curl/8.0' }, indented],
    [{ userAgent: 'Wget/1.21' }, indented],
    [{ userAgent: 'Mozilla/5.0 (X11)' }, indented],
    [{ userAgent: 'Mozilla/4.0' }, compact],
    [{ userAgent: 'kubectl/v1.36' }, compact],
    [{ userAgent: 'curl/8.0', pretty: 'false' }, compact],
    [{ userAgent: 'curl/8.0', pretty: '' }, indented],
    [{ accept: 'application/json;pretty=1' }, indented],
    [{ accept: 'application/json;pretty=true' }, compact],
    [{ accept: 'application/json;pretty=1', pretty: 'false' }, indented],
  ])('depends on the request: %o', async (inputs, expected) => {
    expect(await object(inputs)).toBe(expected);
  });

  it('of lists and Tables equals the whole document indented', async () => {
    for (const accept of ['application/json', TABLE, METADATA_LIST]) {
      for (const items of [[], [ITEM], [ITEM, '{"metadata":{},"x":[]}']]) {
        const plain = await list({ accept }, items);
        expect(await list({ accept, pretty: 'true' }, items)).toBe(JSON.stringify(JSON.parse(plain), null, 2));
      }
    }
  });

  it('does not affect YAML', async () => {
    expect(await object({ accept: 'application/yaml', pretty: 'true' })).toBe(await object('application/yaml'));
  });
});

describe('lists', () => {
  it('begin with metadata, in order, without unset fields', async () => {
    const meta = { remainingItemCount: 3, continue: 'token', resourceVersion: '9' };
    expect(await list({}, [ITEM, ITEM], meta)).toBe(
      `{"kind":"EventList","apiVersion":"events.example.com/v1","metadata":{"resourceVersion":"9","continue":"token","remainingItemCount":3},"items":[${ITEM},${ITEM}]}\n`,
    );
    expect(await list({}, [])).toBe(
      '{"kind":"EventList","apiVersion":"events.example.com/v1","metadata":{"resourceVersion":"9"},"items":[]}\n',
    );
  });

  it('of metadata have null items when they are empty', async () => {
    const head =
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"items":';
    expect(await list(METADATA_LIST, [])).toBe(`${head}null}\n`);
    expect(await list(METADATA_LIST, [ITEM])).toBe(`${head}[${PARTIAL}]}\n`);
    expect(await list(METADATA_LIST.replace('json', 'yaml'), [])).toContain('items: null');
  });

  it('as Tables have one row per item, and none when they are empty', async () => {
    const head = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"columnDefinitions":${COLUMNS},"rows":`;
    expect(await list(TABLE, [])).toBe(`${head}[]}\n`);
    const row = `{"cells":["a",1],"object":${PARTIAL}}`;
    expect(await list(TABLE, [ITEM, ITEM])).toBe(`${head}[${row},${row}]}\n`);
  });

  it('as YAML equal the JSON ones', async () => {
    const yaml = await list('application/yaml', [ITEM]);
    expect(yaml).toMatch(/^apiVersion: events.example.com\/v1\nitems:\n- metadata:\n/);
    expect(await list('application/yaml', [])).toContain('items: []');
  });

  it('cannot be converted to single objects', () => {
    expect(refused(() => choose(METADATA, 'list')).message).toBe(
      'you requested PartialObjectMetadata, but the requested object is a list (*core.EventList)',
    );
  });

  it('stream when they are large, compressed for those who take gzip', async () => {
    const large = `{"metadata":{},"note":"${'x'.repeat(1000)}"}`;
    const batches = Array.from({ length: 30 }, () => Array.from({ length: 10 }, () => encode(large)));
    const plain = await choose({}, 'list').list({}, batches);
    expect(plain.body).not.toBeInstanceOf(Uint8Array);
    const zipped = await choose({ acceptEncoding: 'deflate, gzip' }, 'list').list({}, batches);
    expect(zipped.headers).toEqual({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
    });
    const parts: Uint8Array[] = [];
    for await (const chunk of zipped.body as AsyncIterable<Uint8Array>) parts.push(Buffer.from(chunk));
    const text = await textOf(plain);
    expect(gunzipSync(Buffer.concat(parts)).toString() === text).toBe(true);
    expect(JSON.parse(text).items).toHaveLength(300);
  });
});

describe('a representation says of a list', () => {
  it.each<[string, NegotiationInputs, boolean]>([
    ['compact JSON', {}, true],
    ['pretty JSON', { pretty: 'true' }, false],
    ['a Table', { accept: TABLE }, false],
    ['metadata', { accept: METADATA_LIST }, false],
    ['YAML', { accept: 'application/yaml' }, false],
    ['protobuf', { accept: 'application/vnd.kubernetes.protobuf' }, false],
  ])('whether its items are written unchanged: %s', (_, inputs, expected) => {
    expect(choose(inputs, 'list').joinsItems).toBe(expected);
  });

  it.each([
    ['application/json', false],
    ['application/yaml', false],
    ['application/vnd.kubernetes.protobuf', true],
  ])('whether it is written after all items have been read: %s', (accept, expected) => {
    expect(choose(accept, 'list').gathersItems).toBe(expected);
  });
});

describe('includeObject', () => {
  it('chooses what a row contains', async () => {
    const row = async (includeObject: string): Promise<unknown> => {
      const table = JSON.parse(await list({ accept: TABLE, includeObject }, [ITEM])) as { rows: { object: unknown }[] };
      return table.rows[0]?.object;
    };
    expect(await row('None')).toBeNull();
    expect(await row('Metadata')).toEqual(JSON.parse(PARTIAL));
    expect(await row('')).toEqual(JSON.parse(PARTIAL));
    expect(JSON.stringify(await row('Object'))).toBe(EVENT);
    const single = JSON.parse(await object({ accept: TABLE, includeObject: 'Object' })) as {
      rows: { object: unknown }[];
    };
    expect(JSON.stringify(single.rows[0]?.object)).toBe(EVENT);
  });

  it('is refused before the verb runs, and read for Tables only', () => {
    const status = refused(() => choose({ accept: TABLE, includeObject: 'X"' }));
    expect(status).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(status.message).toBe(
      `Unable to convert to Table as requested: includeObject: Invalid value: "X\\"": must be 'Metadata', 'Object', 'None', or empty`,
    );
    expect(() => choose({ includeObject: 'X' })).not.toThrow();
  });
});

describe('watch frames', () => {
  const text = (frame: Uint8Array | undefined): string | undefined => frame && Buffer.from(frame).toString();
  const STATUS = '{"kind":"Status","apiVersion":"v1","metadata":{},"code":410}';
  const BOOKMARK = '{"kind":"Event","apiVersion":"events.example.com/v1","metadata":{"resourceVersion":"8"}}';
  const END =
    '{"kind":"Event","apiVersion":"events.example.com/v1","metadata":{"resourceVersion":"8","annotations":{"k8s.io/initial-events-end":"true"}}}';

  it('have the object on one line and may be shared', async () => {
    const frames = await choose({ pretty: 'true', acceptEncoding: 'gzip' }, 'watch').frames();
    expect(frames.cacheKey).toBe((await choose({}, 'watch').frames()).cacheKey);
    expect(frames.cacheKey).toBeDefined();
    expect(text(frames.encode('ADDED', encode(EVENT)))).toBe(`{"type":"ADDED","object":${EVENT}}\n`);
    expect(text(frames.encode('ERROR', encode(STATUS)))).toBe(`{"type":"ERROR","object":${STATUS}}\n`);
  });

  it.each(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const)('begin with their type: %s', async (type) => {
    const frames = await choose({}, 'watch').frames();
    expect(text(frames.encode(type, encode('{"kind":"Event"}')))).toBe(
      `{"type":"${type}","object":{"kind":"Event"}}\n`,
    );
  });

  it('have metadata only, under a key of their own', async () => {
    const frames = await choose(METADATA, 'watch').frames();
    expect(frames.cacheKey).not.toBe((await choose({}, 'watch').frames()).cacheKey);
    expect(text(frames.encode('DELETED', encode(EVENT)))).toBe(`{"type":"DELETED","object":${PARTIAL}}\n`);
    expect(text(frames.encode('BOOKMARK', encode(END)))).toContain('"metadata":{"resourceVersion":"8","annotations"');
    expect(text(frames.encode('ERROR', encode(STATUS)))).toBe(`{"type":"ERROR","object":${STATUS}}\n`);
  });

  it('have Tables, with the columns only in the first of each stream', async () => {
    const representation = choose(TABLE, 'watch');
    for (const frames of [await representation.frames(), await representation.frames()]) {
      expect(frames.cacheKey).toBeUndefined();
      expect(text(frames.encode('ERROR', encode(STATUS)))).toBe(`{"type":"ERROR","object":${STATUS}}\n`);
      const definitions = ['ADDED', 'MODIFIED', 'BOOKMARK'].map((type) => {
        const frame = JSON.parse(text(frames.encode(type as 'ADDED', encode(EVENT))) ?? '') as {
          object: { columnDefinitions: unknown; metadata: unknown };
        };
        expect(frame.object.metadata).toEqual({ resourceVersion: '7' });
        return frame.object.columnDefinitions;
      });
      expect(definitions).toEqual([view.table.columns, null, null]);
    }
  });

  it('mark the end of initial events even without objects', async () => {
    const frames = await choose({ accept: TABLE, includeObject: 'None' }, 'watch').frames();
    const rowObject = (frame: Uint8Array | undefined): unknown =>
      (JSON.parse(text(frame) ?? '') as { object: { rows: { object: unknown }[] } }).object.rows[0]?.object;
    expect(rowObject(frames.encode('BOOKMARK', encode(BOOKMARK)))).toBeNull();
    expect(rowObject(frames.encode('BOOKMARK', encode(END)))).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '8', annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    expect(rowObject(frames.encode('ADDED', encode(END)))).toBeNull();
  });

  it('as a metadata list end at the first object without a frame', async () => {
    const frames = await choose(METADATA_LIST, 'watch').frames();
    expect(frames.cacheKey).toBeUndefined();
    expect(frames.encode('ADDED', encode(EVENT))).toBeUndefined();
  });
});

describe('Status', () => {
  const failure = notFound({ group: 'events.example.com', resource: 'events' }, 'nope').status;
  const failed = (accept: string | undefined, more: NegotiationInputs = {}): ApiResponse | Promise<ApiResponse> =>
    respondFailure(failure, { ...more, accept });
  const indented = JSON.stringify(failure, null, 2);

  it.each([
    [undefined, `${JSON.stringify(failure)}\n`],
    ['application/*', `${JSON.stringify(failure)}\n`],
    ['application/cbor, application/json', `${JSON.stringify(failure)}\n`],
    [`${TABLE},application/json`, `${JSON.stringify(failure)}\n`],
    ['text/html', indented],
    [TABLE, indented],
    ['application/json;as=Nope', indented],
    ['application/json;sv=v1', indented],
  ])('is written for a failure with Accept %s', async (accept, expected) => {
    const response = await failed(accept);
    expect(response.status).toBe(404);
    expect(response.headers['content-type']).toBe('application/json');
    expect(await textOf(response)).toBe(expected);
  });

  it('is written for a failure in YAML', async () => {
    const response = await failed('application/yaml');
    expect(response.headers['content-type']).toBe('application/yaml');
    expect(await textOf(response)).toMatch(/^apiVersion: v1\ncode: 404\n/);
  });

  it('is indented for a failure that is shown to people', async () => {
    expect(await textOf(failed(undefined, { pretty: 'true' }))).toBe(indented);
  });

  it('of a success uses the negotiated serializer without the transform', async () => {
    const success: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
    expect(await textOf(choose(TABLE).status(success))).toBe(`${JSON.stringify(success)}\n`);
  });

  it('is written whatever the Accept header is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (accept) => {
        expect((await textOf(failed(accept))).length).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  });
});

describe('negotiationInputs', () => {
  it('reads headers, joining several lines, and the first of several parameters', () => {
    const headers = { accept: ['text/html', 'application/json'], 'user-agent': 'x', 'accept-encoding': 'gzip' };
    const query = new Map([
      ['pretty', ['1', '0']],
      ['includeObject', ['None']],
    ]);
    expect(negotiationInputs(headers, query)).toEqual({
      accept: 'text/html, application/json',
      pretty: '1',
      userAgent: 'x',
      acceptEncoding: 'gzip',
      includeObject: 'None',
    });
    expect(Object.values(negotiationInputs(undefined, new Map())).every((value) => value === undefined)).toBe(true);
  });
});
