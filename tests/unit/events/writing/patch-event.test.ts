import { describe, expect, test } from 'vitest';
import { bench, event, metaOf, path, type Json } from '../bench.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };

describe('a JSON patch', () => {
  test('finds the whole event as a get shows it', async () => {
    const { create, json, revision } = bench();
    for (const [name, metadata] of [
      ['plain', {}],
      ['rich', { labels: { a: '1' }, annotations: { b: '2' }, finalizers: ['example.com/x'] }],
    ] as const) {
      const created = await create(name, {}, metadata);
      const before = await revision();
      const operations = Object.entries(created)
        .filter(([key]) => key !== 'metadata')
        .concat(Object.entries(metaOf(created)).map(([key, value]) => [`metadata/${key}`, value]))
        .map(([key, value]) => ({ op: 'test', path: `/${key}`, value }));
      expect(operations.length).toBeGreaterThan(12);
      operations.push(
        { op: 'test', path: '/metadata', value: metaOf(created) },
        { op: 'test', path: '', value: created },
      );
      const response = await json(`PATCH ${path(`/${name}`)}`, operations, JSON_PATCH);
      expect([response.status, response.json]).toEqual([200, created]);
      expect(await revision()).toBe(before);
    }
  });

  test.each(['kind', 'apiVersion'])('that changes its %s is refused', async (key) => {
    const { create, json, revision } = bench();
    await create('a');
    const before = await revision();
    const response = await json(
      `PATCH ${path('/a')}`,
      [{ op: 'replace', path: `/${key}`, value: 'Other/v9' }],
      JSON_PATCH,
    );
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(await revision()).toBe(before);
  });
});

describe.each([
  ['merge', MERGE],
  ['strategic merge', STRATEGIC],
])('a %s patch', (_, headers) => {
  test('reports unknown fields in a warning, unless it is strict or ignores them', async () => {
    const { ask, create } = bench();
    await create('a');
    const patch = { metadata: { labels: { a: '1' } }, ...(headers === MERGE && { odd: 1 }) };
    const body = JSON.stringify(patch).replace('"a":"1"', '"a":"0","a":"1"');
    const sent = (validation: string) => ask(`PATCH ${path('/a')}?fieldValidation=${validation}`, { body, headers });
    const header = (await sent('Warn')).headers['warning'];
    const warnings = typeof header === 'string' ? [header] : (header ?? []);
    expect(warnings.join()).toContain('duplicate field \\"metadata.labels.a\\"');
    if (headers === MERGE) expect(warnings.join()).toContain('unknown field \\"odd\\"');
    expect((await sent('')).headers['warning']).toEqual(header);
    expect((await sent('Strict')).status).toBeGreaterThanOrEqual(400);
    const silent = await sent('Ignore');
    expect([silent.status, silent.headers['warning']]).toEqual([200, undefined]);
  });
});

test('owners that a patch repeats are merged, with a warning', async () => {
  const { ask, create } = bench();
  await create('a');
  const owner: Json = { apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'u1' };
  const body = JSON.stringify({ metadata: { ownerReferences: [owner, { ...owner, name: 'other' }, owner] } });
  const response = await ask(`PATCH ${path('/a')}`, { body, headers: MERGE });
  expect(response.status).toBe(200);
  expect(JSON.stringify(response.headers['warning'])).toContain('duplicate entries');
  expect(metaOf(await response.json())['ownerReferences']).toEqual([owner, { ...owner, name: 'other' }]);
});

test.each([['name'], ['namespace']])('a patch that gives the event another %s is refused', async (key) => {
  const { create, json, revision } = bench();
  await create('a');
  const before = await revision();
  expect((await json(`PATCH ${path('/a')}`, { metadata: { [key]: 'other' } }, MERGE)).status).toBe(400);
  expect((await json(`PATCH ${path('/a')}`, event('a', {}, { [key]: 'other' }), STRATEGIC)).status).toBe(400);
  expect(await revision()).toBe(before);
});

test.each([
  ['name', { name: 'other' }, 'the name of the object'],
  ['namespace', { namespace: 'other' }, 'the namespace of the provided object'],
  ['name and another namespace', { name: 'other', namespace: 'other' }, 'the namespace of the provided object'],
])('the refusal of a patch with another %s carries the warnings about its fields', async (_, metadata, message) => {
  const { ask, create } = bench();
  await create('a');
  for (const headers of [MERGE, STRATEGIC]) {
    const body = JSON.stringify({ metadata: { ...metadata, odd: 1 } });
    const response = await ask(`PATCH ${path('/a')}`, { body, headers });
    expect(response.status).toBe(400);
    expect((await response.json<Json>())['message']).toContain(message);
    expect(String(response.headers['warning'])).toContain('unknown field \\"metadata.odd\\"');
  }
});
