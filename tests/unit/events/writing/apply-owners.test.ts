import { expect, test } from 'vitest';
import { bench, event, path, type Json } from '../bench.js';

const apply = { 'content-type': 'application/apply-patch+yaml' };

test.each<[what: string, owners: readonly Json[], fields: readonly string[]]>([
  ['without a uid', [{ apiVersion: 'v1', kind: 'Pod', name: 'web-0' }], ['uid']],
  ['with nothing but a uid', [{ uid: 'u' }], ['apiVersion', 'kind', 'name']],
  ['without anything', [{}], ['apiVersion', 'kind', 'name', 'uid']],
])('an applied owner %s is a 422 with its causes', async (_what, ownerReferences, fields) => {
  const { json } = bench();
  const sent = event('a', {}, { ownerReferences });
  for (const existing of [false, true]) {
    if (existing) expect((await json(`POST ${path()}`, event('a'))).status).toBe(201);
    const response = await json(`PATCH ${path('/a')}?fieldManager=m`, sent, apply);
    expect(response.status).toBe(422);
    const { causes } = response.json['details'] as { causes: readonly Json[] };
    const named = new Set(causes.map(({ field }) => field));
    expect(named).toEqual(new Set(fields.map((field) => `metadata.ownerReferences.${field}`)));
  }
});
