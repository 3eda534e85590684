import { describe, expect, test } from 'vitest';
import { bench, metaOf, path } from '../bench.js';

describe('resourceVersion of a get', () => {
  test('that has been reached returns the latest state', async () => {
    const { create, json, revision } = bench();
    const created = await create('a');
    const own = Number(metaOf(created)['resourceVersion']);
    await create('b');
    const current = Number(await revision());
    expect(current).toBeGreaterThan(own);
    for (const asked of ['', '0', '1', own - 1, own, own + 1, current]) {
      const response = await json(`GET ${path('/a')}?resourceVersion=${asked}`);
      expect([asked, response.status, response.json]).toEqual([asked, 200, created]);
    }
  });

  test.each([1, 1_000])('that lies %i ahead is a 504', async (ahead) => {
    const { create, json, revision } = bench();
    await create('a');
    const current = Number(await revision());
    const response = await json(`GET ${path('/a')}?resourceVersion=${current + ahead}`);
    expect([response.status, response.json['reason'], response.json['message']]).toEqual([
      504,
      'Timeout',
      `Timeout: Too large resource version: ${current + ahead}, current: ${current}`,
    ]);
  });

  test.each(['x', '-1', '1.5', '0x10', '18446744073709551616'])('that is not a number is a 400: %s', async (asked) => {
    const { create, json } = bench();
    await create('a');
    const response = await json(`GET ${path('/a')}?resourceVersion=${asked}`);
    expect([response.status, response.json['reason']]).toEqual([400, 'BadRequest']);
    expect(response.json['message']).toContain('invalid resource version');
  });

  test('is compared with the revision of the store only if the event itself is older', async () => {
    let asked = 0;
    const { create, json } = bench({}, (store) => ({ ...store, revision: (call) => (asked++, store.revision(call)) }));
    const own = Number(metaOf(await create('a'))['resourceVersion']);
    await create('b');
    const before = asked;
    for (const revision of ['', '0', String(own - 1), String(own)]) {
      await json(`GET ${path('/a')}?resourceVersion=${revision}`);
    }
    expect(asked).toBe(before);
    await json(`GET ${path('/a')}?resourceVersion=${own + 1}`);
    expect(asked).toBe(before + 1);
  });

  test('fails for a missing event as well if it is in the future', async () => {
    const { json, revision } = bench();
    expect((await json(`GET ${path('/a')}?resourceVersion=9007199254740000`)).status).toBe(504);
    expect((await json(`GET ${path('/a')}?resourceVersion=${await revision()}`)).status).toBe(404);
  });
});

test.each([
  ['export', 400],
  ['export=true', 400],
  ['export=1', 400],
  ['export=false', 200],
  ['export=0', 200],
])('a get with %s gets %i', async (query, status) => {
  const { create, json } = bench();
  await create('a');
  expect((await json(`GET ${path('/a')}?${query}`)).status).toBe(status);
});
