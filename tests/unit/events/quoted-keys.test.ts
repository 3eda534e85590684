import { describe, expect, test } from 'vitest';
import { bench, event, path } from './bench.js';

const YAML = { 'content-type': 'application/yaml' };
const JSON_TYPE = { 'content-type': 'application/json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

/** A scalar that is long, and its alias as a key that comes many times. */
const aliasedKeys = (length: number, times: number): string =>
  `note: &a ${'x'.repeat(length)}\n${'*a : 1\n'.repeat(times)}`;

describe('an anchored scalar of 100 kB that is used as 400 keys', () => {
  test.each([
    [`POST ${path()}`, YAML],
    [`POST ${path('?dryRun=All')}`, YAML],
    [`POST ${path('?fieldValidation=Strict')}`, YAML],
    [`PUT ${path('/a')}`, YAML],
    [`PATCH ${path('/a?fieldManager=x')}`, APPLY],
    [`DELETE ${path('/a')}`, YAML],
    [`DELETE ${path()}`, YAML],
  ])('is refused in %s', async (target, headers) => {
    const response = await bench().ask(target, { headers, body: aliasedKeys(100_000, 400) });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain('yaml: document contains excessive aliasing');
    expect(text.length).toBeLessThan(1000);
  });
});

describe('keys are quoted by their beginning', () => {
  const shown = `"${'x'.repeat(256)}..."`;

  test('in the error of a YAML body with duplicates, a hundred of which are reported', async () => {
    const body = `${'x'.repeat(300)}: 1\n`.repeat(300);
    const response = await bench().ask(`POST ${path('?fieldValidation=Strict')}`, { headers: YAML, body });
    const { message } = await response.json<{ message: string }>();
    expect(message).toContain(`line 2: key ${shown} already set in map\n  line 3: key ${shown}`);
    expect(message.length).toBeLessThanOrEqual(16_387);
  });

  test('in the warnings of a YAML body with duplicates', async () => {
    const body = `${JSON.stringify(event('a')).slice(0, -1)},${`"${'x'.repeat(300)}": 1,`.repeat(200)} "z": 1}`;
    const response = await bench().ask(`POST ${path()}`, { headers: YAML, body });
    expect(response.status).toBe(201);
    const warnings = [response.headers['warning'] ?? []].flat();
    const quoted = `\\"${'x'.repeat(256)}...\\"`;
    expect(warnings).toEqual([
      `299 - "line 1: key ${quoted} already set in map"`,
      `299 - "unknown field ${quoted}"`,
      '299 - "unknown field \\"z\\""',
    ]);
  });

  test('in the errors of a JSON body with unknown and duplicate fields', async () => {
    const body = `{"${'x'.repeat(100_000)}":1,${`"${'y'.repeat(10_000)}":1,`.repeat(40)}"kind":"Event"}`;
    const response = await bench().ask(`POST ${path('?fieldValidation=Strict')}`, { headers: JSON_TYPE, body });
    const { message } = await response.json<{ message: string }>();
    expect(message).toBe(
      `Event in version "v1" cannot be handled as a Event: strict decoding error: unknown field ${shown}, ` +
        `unknown field "${'y'.repeat(256)}..."`,
    );
  });

  test.each([
    ['application/json-patch+json', `[{"op":"test","path":"","value":1,"${'x'.repeat(100_000)}":1}]`],
    ['application/merge-patch+json', `{"note":1,"${'x'.repeat(100_000)}":1}`],
    ['application/strategic-merge-patch+json', `{"note":1,"${'x'.repeat(100_000)}":1}`],
    ['application/apply-patch+yaml', `{"kind":"Event","apiVersion":"${'x'.repeat(100_000)}"}`],
  ])('in the response to a patch of type %s', async (type, body) => {
    const api = bench();
    await api.create('a');
    const target = `PATCH ${path('/a?fieldManager=x')}`;
    const response = await api.ask(target, { headers: { 'content-type': type }, body });
    expect([400, 422]).toContain(response.status);
    expect((await response.text()).length).toBeLessThan(40_000);
  });
});
