import { describe, expect, test } from 'vitest';
import { ROOT, bench, event, path } from '../bench.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** The response to one request: its status and the beginning of its body. */
async function begins(
  { events }: ReturnType<typeof bench>,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const response = await events.handle({ method: 'GET', url, headers });
  const { body } = response ?? { body: null };
  const text = typeof body === 'string' ? body : body instanceof Uint8Array ? Buffer.from(body).toString() : '';
  return `${response?.status} ${text.slice(0, 20)}`;
}

describe('the representation of a response', () => {
  test('depends on its own request only, not on the previous one', async () => {
    const served = bench();
    await served.json(`POST ${path()}`, event('x'));
    const url = path('/x');
    const cases = [
      [url, {}, '200 {"kind":"Event","api'],
      [url, { accept: TABLE }, '200 {"kind":"Table","api'],
      [`${url}?includeObject=Bad`, { accept: TABLE }, '400 {\n  "kind": "Status"'],
      [`${url}?pretty=true`, {}, '200 {\n  "kind": "Event",'],
      [`${url}?pretty=false`, { 'user-agent': 'curl/8.5.0' }, '200 {"kind":"Event","api'],
      [url, { 'user-agent': 'curl/8.5.0' }, '200 {\n  "kind": "Event",'],
      [url, { accept: 'application/yaml' }, '200 action: Testing\napiV'],
      [url, { accept: 'text/html' }, '406 {\n  "kind": "Status"'],
    ] as const;
    for (const round of [1, 2]) {
      for (const [target, headers, expected] of cases) {
        expect(await begins(served, target, headers), `${round}: ${target} ${JSON.stringify(headers)}`).toBe(expected);
      }
    }
  });

  test('is checked in the order of an undeclared type, a bad name and an unfit conversion', async () => {
    const it = bench();
    const bad = `${ROOT}/namespaces/a/events/..`;
    const list = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    for (const accept of ['text/html', list, 'application/json', 'application/json']) {
      expect(await begins(it, bad, { accept })).toMatch(accept === 'text/html' ? /^406/ : /^400/);
    }
  });
});
