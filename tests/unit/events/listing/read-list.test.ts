import { describe, expect, test } from 'vitest';
import { readContinueToken } from '../../../../src/api/options/continue-token.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import type { ListQuery } from '../../../../src/store/contract/event-store.js';
import { bench, event, metaOf, namesOf, path, ROOT, type Bench, type Json } from '../bench.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };

async function filled(count: number, label: (index: number) => string = () => 'x'): Promise<Bench> {
  const made = bench();
  for (let index = 0; index < count; index++) {
    const name = `e${String(index).padStart(3, '0')}`;
    await made.create(name, {}, { labels: { app: label(index) } });
  }
  return made;
}

/** Follows the tokens to the end. */
async function pages({ json }: Bench, url: string): Promise<Json[]> {
  const found: Json[] = [];
  let token = '';
  do {
    const page = await json(`GET ${url}${token && `&continue=${token}`}`);
    expect(page.status).toBe(200);
    found.push(page.json);
    token = (metaOf(page.json)['continue'] as string | undefined) ?? '';
  } while (token !== '');
  return found;
}

test('the memory of a list is reused by the next one, once it was released', async () => {
  const made = await filled(20);
  const list = async (): Promise<ApiResponse> => {
    const response = await made.events.handle({
      method: 'GET',
      url: path(),
      headers: {},
      body: () => new Uint8Array(),
    });
    if (response === undefined) throw new Error('not answered');
    return response;
  };
  const first = await list();
  expect(first.release).toBeTypeOf('function');
  first.release?.();
  const [second, third] = [await list(), await list()];
  const [one, two] = [second.body as Uint8Array, third.body as Uint8Array];
  expect(one.buffer.byteLength).toBeGreaterThan(one.byteLength);
  expect(one.buffer).not.toBe(two.buffer);
  expect(Buffer.from(one).equals(two)).toBe(true);
});

describe('a list that is read repeatedly', () => {
  const forms: readonly (readonly [what: string, accept: string, query: string])[] = [
    ['JSON', 'application/json', ''],
    ['indented JSON', 'application/json', '&pretty=true'],
    ['YAML', 'application/yaml', ''],
    ['a Table', 'application/json;as=Table;g=meta.k8s.io;v=v1', ''],
    ['metadata', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', ''],
    ['protobuf', 'application/vnd.kubernetes.protobuf', ''],
  ];

  test.each(forms)('is the same as %s, whatever was cached', async (_what, accept, more) => {
    const made = await filled(9);
    const read = async (query: string): Promise<string> => {
      const response = await made.ask(`GET ${path(query)}${more}`, { headers: { accept } });
      expect(response.status).toBe(200);
      return response.text();
    };
    for (const query of ['?', '?limit=4', '?fieldSelector=regarding.name%3Dweb-1', '?labelSelector=app%3Dx&limit=2']) {
      const first = await read(query);
      for (let turn = 0; turn < 3; turn++) {
        // In between it was kept as plain JSON.
        await made.json(`GET ${path(query)}`);
        expect(await read(query)).toBe(first);
      }
    }
  });

  test('shows changes between two reads', async () => {
    const made = await filled(5);
    const names = async (query: string): Promise<unknown[]> => namesOf((await made.json(`GET ${path(query)}`)).json);
    const about = '?fieldSelector=regarding.name%3Dweb-1';
    for (let turn = 0; turn < 3; turn++) {
      expect(await names('')).toEqual(await names(about));
      await made.create(`f${turn}`);
      expect(await names('')).toContain(`f${turn}`);
      expect(await names(about)).toContain(`f${turn}`);
      await made.json(`DELETE ${path(`/e00${turn}`)}`);
      expect(await names('')).not.toContain(`e00${turn}`);
      expect(await names(about)).not.toContain(`e00${turn}`);
      const patched = { metadata: { labels: { turn: String(turn) } } };
      await made.json(`PATCH ${path('/e004')}`, patched, { 'content-type': 'application/merge-patch+json' });
      const { json } = await made.json(`GET ${path()}`);
      const last = (json['items'] as Json[]).find((item) => metaOf(item)['name'] === 'e004');
      expect(metaOf(last)['labels']).toMatchObject(patched.metadata.labels);
    }
  });

  test.each([0, 1, 3])(
    'without limit is complete after %i reads, even if it changes between its pages',
    async (turns) => {
      const made = await filled(1200);
      const first = Array.from({ length: 1200 }, (_, index) => `e${String(index).padStart(3, '0')}`).sort();
      const stored = async (): Promise<unknown[]> => namesOf((await made.json(`GET ${path()}`)).json);
      for (let turn = 0; turn < turns; turn++) expect(await stored()).toEqual(first);
      const response = await made.events.handle({ method: 'GET', url: path(), headers: {} });
      const chunks: Uint8Array[] = [];
      for await (const chunk of response?.body as AsyncIterable<Uint8Array>) {
        chunks.push(Buffer.from(chunk));
        if (chunks.length === 1) await made.json(`DELETE ${path('/e1100')}`);
      }
      expect(namesOf(JSON.parse(Buffer.concat(chunks).toString()))).toEqual(first);
      expect(await stored()).toEqual(first.filter((name) => name !== 'e1100'));
    },
  );

  test('fails like any other if its revision is expired or in the future', async () => {
    const made = await filled(3);
    for (let turn = 0; turn < 3; turn++) {
      expect((await made.json(`GET ${path('?limit=2')}`)).status).toBe(200);
      expect((await made.json(`GET ${path('?limit=2&resourceVersion=1')}`)).status).toBe(410);
      expect((await made.json(`GET ${path('?resourceVersion=9000000000000000')}`)).status).toBe(504);
    }
  });
});

describe('a limit', () => {
  test('gives pages that show every event once, at the revision of the first page', async () => {
    const made = await filled(7);
    const found = await pages(made, `${path()}?limit=3`);
    expect(found.map(namesOf)).toEqual([['e000', 'e001', 'e002'], ['e003', 'e004', 'e005'], ['e006']]);
    expect(new Set(found.map((page) => metaOf(page)['resourceVersion'])).size).toBe(1);
    expect(found.map((page) => metaOf(page)['remainingItemCount'])).toEqual([4, 1, undefined]);
  });

  test('that fits exactly leaves no token', async () => {
    const made = await filled(3);
    expect(await pages(made, `${path()}?limit=3`)).toHaveLength(1);
  });

  test('gives pages without changes made in between', async () => {
    const made = await filled(4);
    const first = await made.json(`GET ${path()}?limit=2`);
    await made.json(`DELETE ${path('/e003')}`);
    await made.create('e0025');
    const token = metaOf(first.json)['continue'] as string;
    expect(namesOf((await made.json(`GET ${path()}?limit=2&continue=${token}`)).json)).toEqual(['e002', 'e003']);
  });

  test('that is missing, negative or huge gives everything', async () => {
    const made = await filled(3);
    for (const limit of ['', '?limit=0', '?limit=-1', '?limit=9223372036854775807']) {
      const { json } = await made.json(`GET ${path()}${limit}`);
      expect(namesOf(json)).toHaveLength(3);
      expect(metaOf(json)).toEqual({ resourceVersion: await made.revision() });
    }
  });
});

describe('a limit with a selector', () => {
  test('gives a page filled across pages of the store, without a count', async () => {
    const made = await filled(40, (index) => (index % 10 === 9 ? 'rare' : 'often'));
    const found = await pages(made, `${path()}?limit=3&labelSelector=app%3Drare`);
    expect(found.map(namesOf)).toEqual([['e009', 'e019', 'e029'], ['e039']]);
    for (const page of found) expect(metaOf(page)).not.toHaveProperty('remainingItemCount');
  });

  test.each([1, 2, 3, 5])('of %i neither loses nor repeats an event, whatever matches', async (limit) => {
    const made = await filled(24, (index) => 'abc'[(index * index) % 3] ?? '');
    for (const app of ['a', 'b', 'c']) {
      const all = await made.json(`GET ${path()}?labelSelector=app%3D${app}`);
      const found = await pages(made, `${path()}?limit=${limit}&labelSelector=app%3D${app}`);
      expect(found.flatMap(namesOf)).toEqual(namesOf(all.json));
      for (const page of found.slice(0, -1)) expect(namesOf(page)).toHaveLength(limit);
    }
  });

  test('gives an empty list without a token if nothing matches', async () => {
    const made = await filled(10);
    const { json } = await made.json(`GET ${path()}?limit=2&labelSelector=app%3Dnever`);
    expect(json['items']).toEqual([]);
    expect(metaOf(json)).not.toHaveProperty('continue');
  });

  test('reads every page of the store at one revision', async () => {
    const queries: ListQuery[] = [];
    const made = bench({}, (store) => ({
      ...store,
      list: (query) => {
        queries.push(query);
        return store.list(query);
      },
    }));
    for (let index = 0; index < 9; index++) await made.create(`e${index}`);
    const { json } = await made.json(`GET ${path()}?limit=2&labelSelector=never`);
    expect(queries.length).toBeGreaterThan(2);
    expect(new Set(queries.slice(1).map(({ at }) => String(at)))).toEqual(new Set([metaOf(json)['resourceVersion']]));
  });
});

describe('the continue token', () => {
  test('names the event after which it continues: in one namespace its name, over all both parts', async () => {
    const made = await filled(2);
    const one = await made.json(`GET ${path()}?limit=1`);
    const all = await made.json(`GET ${ROOT}/events?limit=1`);
    expect(readContinueToken(metaOf(one.json)['continue'] as string).start).toBe('e000');
    expect(readContinueToken(metaOf(all.json)['continue'] as string).start).toBe('default/e000');
  });

  test('continues in the next namespace of a list over all', async () => {
    const { json } = bench();
    for (const namespace of ['a', 'b', 'c']) {
      for (const name of ['x', 'y'])
        await json(`POST ${path('', namespace)}`, event(name, { regarding: { namespace } }));
    }
    const found = await pages({ json } as Bench, `${ROOT}/events?limit=1`);
    expect(found.flatMap((page) => (page['items'] as Json[]).map((item) => metaOf(item)['namespace']))).toEqual([
      'a',
      'a',
      'b',
      'b',
      'c',
      'c',
    ]);
  });

  test('of a list over all namespaces reaches the store as a namespace and a name', async () => {
    const starts: unknown[] = [];
    const { create, json } = bench({}, (store) => ({
      ...store,
      list: (options) => (starts.push(options.after), store.list(options)),
      listJson: undefined,
    }));
    for (const name of ['x', 'y']) await create(name);
    await pages({ json } as Bench, `${ROOT}/events?limit=1`);
    expect(starts).toEqual([undefined, { namespace: 'default', name: expect.stringMatching(/^x\0?$/) as unknown }]);
  });

  test('that names only a namespace continues with its first event', async () => {
    const { json, revision } = bench();
    for (const namespace of ['a', 'b', 'c'])
      await json(`POST ${path('', namespace)}`, event('0', { regarding: { namespace } }));
    const forged = btoa(JSON.stringify({ v: 'meta.k8s.io/v1', rv: Number(await revision()), start: 'b\0' }));
    const { json: list } = await json(`GET ${ROOT}/events?continue=${forged.replaceAll('=', '')}`);
    expect((list['items'] as Json[]).map((item) => metaOf(item)['namespace'])).toEqual(['b', 'c']);
  });

  test('whose key does not end with a NUL character begins with that key, as in kube-apiserver', async () => {
    const { create, json } = bench();
    for (const name of ['a', 'b', 'c']) await create(name);
    for (const [start, url] of [
      ['b', path()],
      ['default/b', `${ROOT}/events`],
    ] as const) {
      const forged = btoa(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start }));
      const { json: list } = await json(`GET ${url}?limit=2&continue=${forged.replaceAll('=', '')}`);
      expect(namesOf(list)).toEqual(['b', 'c']);
    }
  });

  test('of an expired revision is a 410 with a token for the latest state', async () => {
    const made = await filled(4);
    const first = await made.json(`GET ${path()}?limit=2`);
    const token = metaOf(first.json)['continue'] as string;
    for (const name of ['e004', 'e005']) {
      made.clock.advance(11 * 60_000);
      await made.create(name);
    }
    const gone = await made.json(`GET ${path()}?limit=2&continue=${token}`);
    expect(gone.status).toBe(410);
    expect(gone.json).toMatchObject({
      kind: 'Status',
      reason: 'Expired',
      code: 410,
      message:
        'The provided continue parameter is too old to display a consistent list result. You can start a new list ' +
        'without the continue parameter, or use the continue token in this response to retrieve the remainder of the ' +
        'results. Continuing with the provided token results in an inconsistent list - objects that were created, ' +
        'modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    });
    const restart = metaOf(gone.json)['continue'] as string;
    expect(readContinueToken(restart)).toEqual({ revision: -1, start: 'e001' });
    const rest = await made.json(`GET ${path()}?limit=3&continue=${restart}`);
    expect(namesOf(rest.json)).toEqual(['e002', 'e003', 'e004']);
    const last = metaOf(rest.json)['continue'] as string;
    expect(namesOf((await made.json(`GET ${path()}?limit=3&continue=${last}`)).json)).toEqual(['e005']);
  });

  test('that cannot be used because the store is away is a 503 without another token', async () => {
    const { create, json } = bench({}, (store) => ({
      ...store,
      list: Object.assign(
        (query: ListQuery) =>
          query.after === undefined ? store.list(query) : Promise.reject(storeError('unavailable', 'as arranged')),
        { json: undefined },
      ),
    }));
    for (const name of ['a', 'b', 'c']) await create(name);
    const token = metaOf((await json(`GET ${path()}?limit=1`)).json)['continue'] as string;
    const failed = await json(`GET ${path()}?limit=1&continue=${token}`);
    expect([failed.status, failed.json['reason']]).toEqual([503, 'ServiceUnavailable']);
    expect(metaOf(failed.json)).not.toHaveProperty('continue');
  });

  test('continues after the event that a field selector names', async () => {
    const made = await filled(3);
    const token = metaOf((await made.json(`GET ${path()}?limit=2`)).json)['continue'] as string;
    const named = async (name: string): Promise<unknown[]> =>
      namesOf((await made.json(`GET ${path()}?fieldSelector=metadata.name%3D${name}&continue=${token}`)).json);
    expect(await named('e001')).toEqual([]);
    expect(await named('e002')).toEqual(['e002']);
  });

  test('cannot be combined with a resourceVersion', async () => {
    const made = await filled(2);
    const token = metaOf((await made.json(`GET ${path()}?limit=1`)).json)['continue'] as string;
    const response = await made.json(`GET ${path()}?limit=1&continue=${token}&resourceVersion=5`);
    expect(response.status).toBe(400);
    expect(response.json['message']).toBe('specifying resource version is not allowed when using continue');
  });

  test('from the future is a 504', async () => {
    const made = await filled(1);
    const forged = btoa(JSON.stringify({ v: 'meta.k8s.io/v1', rv: Number.MAX_SAFE_INTEGER, start: 'a\0' }));
    const response = await made.json(`GET ${path()}?continue=${forged.replaceAll('=', '')}`);
    expect(response.status).toBe(504);
    expect(response.json['message']).toContain(
      `Too large resource version: ${Number.MAX_SAFE_INTEGER}, current: ${await made.revision()}`,
    );
  });
});

describe('order=newest-first', () => {
  const newest = `${path()}?order=newest-first`;
  const touch = (made: Bench, name: string): Promise<unknown> =>
    made.json(`PATCH ${path(`/${name}`)}`, { metadata: { labels: { touched: 'yes' } } }, MERGE);
  const refusal = async (made: Bench, query: string): Promise<unknown> => {
    const { status, json } = await made.json(`GET ${path()}?${query}`);
    return [status, json['message']];
  };

  test('lists by descending resourceVersion, so that an event that was changed comes first', async () => {
    const made = await filled(4);
    await touch(made, 'e001');
    const { json } = await made.json(`GET ${newest}`);
    expect(namesOf(json)).toEqual(['e001', 'e003', 'e002', 'e000']);
    const all = await made.json(`GET ${ROOT}/events?order=newest-first&limit=2`);
    expect(namesOf(all.json)).toEqual(['e001', 'e003']);
    expect(namesOf((await made.json(`GET ${path()}?order=`)).json)[0]).toBe('e000');
  });

  test.each([1, 2, 3])('gives pages of %i without the changes made in between', async (limit) => {
    const made = await filled(7);
    const first = await made.json(`GET ${newest}&limit=${limit}`);
    await touch(made, 'e000');
    await made.json(`DELETE ${path('/e002')}`);
    await made.create('e9');
    const url = `${newest}&limit=${limit}&continue=${String(metaOf(first.json)['continue'])}`;
    const rest = await made.json(`GET ${url}`);
    expect(metaOf(rest.json)['resourceVersion']).toBe(metaOf(first.json)['resourceVersion']);
    expect([...namesOf(first.json), ...namesOf(rest.json)]).toEqual(
      ['e006', 'e005', 'e004', 'e003', 'e002', 'e001', 'e000'].slice(0, 2 * limit),
    );
  });

  test('gives all pages to the end, also with selectors and as Tables', async () => {
    const made = await filled(9, (index) => (index % 2 === 0 ? 'even' : 'odd'));
    const found = await pages(made, `${newest}&limit=2&labelSelector=app%3Deven`);
    expect(found.map(namesOf)).toEqual([['e008', 'e006'], ['e004', 'e002'], ['e000']]);
    expect(namesOf((await made.json(`GET ${newest}&fieldSelector=metadata.name%3De004`)).json)).toEqual(['e004']);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = await made.json(`GET ${newest}&limit=1`, undefined, { accept });
    expect((table.json['rows'] as Json[]).map(({ object }) => metaOf(object)['name'])).toEqual(['e008']);
  });

  test('continues in the latest state when the revision of its pages has expired', async () => {
    const made = await filled(4);
    const first = await made.json(`GET ${newest}&limit=2`);
    for (const name of ['e004', 'e005']) {
      made.clock.advance(11 * 60_000);
      await made.create(name);
    }
    const gone = await made.json(`GET ${newest}&limit=1&continue=${String(metaOf(first.json)['continue'])}`);
    expect(gone.status).toBe(410);
    const rest = await made.json(`GET ${newest}&limit=9&continue=${String(metaOf(gone.json)['continue'])}`);
    expect(namesOf(rest.json)).toEqual(['e001', 'e000']);
  });

  test('and a continue token of another order exclude each other', async () => {
    const made = await filled(3);
    const tokenOf = async (url: string): Promise<string> =>
      String(metaOf((await made.json(`GET ${url}limit=1`)).json)['continue']);
    const message = 'the continue token is of a list in another order';
    expect(await refusal(made, `continue=${await tokenOf(`${newest}&`)}`)).toEqual([400, message]);
    expect(await refusal(made, `order=newest-first&continue=${await tokenOf(`${path()}?`)}`)).toEqual([400, message]);
  });

  test.each([0, -1, 1.5, '7', null, 2 ** 53])('does not continue below a revision that is none: %s', async (below) => {
    const made = await filled(1);
    const forged = btoa(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: 'a\0', below })).replaceAll('=', '');
    expect((await made.json(`GET ${newest}&continue=${forged}`)).status).toBe(400);
  });

  test('is the only order that can be given, and is refused for watches', async () => {
    const made = bench();
    expect(await refusal(made, 'order=newest')).toEqual([
      422,
      'ListOptions.meta.k8s.io "" is invalid: order: Unsupported value: "newest": supported values: "newest-first", ""',
    ]);
    expect(await refusal(made, 'watch=1&order=newest-first')).toEqual([
      422,
      'ListOptions.meta.k8s.io "" is invalid: order: Forbidden: order is forbidden for watch',
    ]);
  });

  test('is refused where the store has no such order', async () => {
    const made = bench({}, (store) => ({ ...store, capabilities: { ...store.capabilities, newestFirst: false } }));
    expect(await refusal(made, 'order=newest-first')).toEqual([
      400,
      'order: the store of this server cannot list the newest events first',
    ]);
  });
});

test.each([
  ['unavailable', 503, 'ServiceUnavailable'],
  ['expired', 410, 'Expired'],
] as const)('a list without a token whose second page is %s fails with %i, and has no token', async (code, ...of) => {
  const { create, json } = bench({}, (store) => ({
    ...store,
    list: (query) => (query.after === undefined ? store.list(query) : Promise.reject(storeError(code, 'as arranged'))),
  }));
  for (const name of ['a', 'b', 'c']) await create(name);
  const { status, json: body } = await json(`GET ${path()}?limit=2&labelSelector=none`);
  expect([status, body['reason']]).toEqual(of);
  expect(metaOf(body)).not.toHaveProperty('continue');
});

describe('a resourceVersion', () => {
  test('with Exact shows the past, with NotOlderThan the present', async () => {
    const made = await filled(2);
    const then = await made.revision();
    await made.create('later');
    const at = `resourceVersion=${then}`;
    const exact = await made.json(`GET ${path()}?${at}&resourceVersionMatch=Exact`);
    expect(namesOf(exact.json)).toEqual(['e000', 'e001']);
    expect(metaOf(exact.json)['resourceVersion']).toBe(then);
    const limited = await made.json(`GET ${path()}?${at}&limit=10`);
    expect(namesOf(limited.json)).toHaveLength(2);
    for (const query of [
      at,
      `${at}&resourceVersionMatch=NotOlderThan`,
      `${at}&resourceVersionMatch=NotOlderThan&limit=9`,
      `resourceVersion=${await made.revision()}`,
    ]) {
      expect(namesOf((await made.json(`GET ${path()}?${query}`)).json)).toHaveLength(3);
    }
  });

  test.each(['', '&resourceVersionMatch=Exact', '&resourceVersionMatch=NotOlderThan', '&limit=1'])(
    'of the future is a 504, %s',
    async (more) => {
      const made = await filled(1);
      const { status, json } = await made.json(`GET ${path()}?resourceVersion=18446744073709551615${more}`);
      expect(status).toBe(504);
      expect(json).toMatchObject({ reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } });
    },
  );

  test('of 0 shows any state', async () => {
    const made = await filled(2);
    expect(namesOf((await made.json(`GET ${path()}?resourceVersion=0`)).json)).toHaveLength(2);
  });
});
