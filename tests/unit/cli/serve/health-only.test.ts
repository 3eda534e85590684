import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../../../src/index.js';
import { healthOnly } from '../../../../src/cli/serve/health-only.js';

function behind() {
  const seen: ApiRequest[] = [];
  const handle = healthOnly((request) => {
    seen.push(request);
    return { status: 200, headers: {}, body: 'ok' };
  });
  return { seen, handle };
}

describe('healthOnly', () => {
  it.each(['/healthz', '/livez', '/readyz', '/readyz?verbose', '/livez/ping', '/readyz/store?timeout=1s'])(
    'serves %s, without headers that identify the caller',
    async (url) => {
      const { seen, handle } = behind();
      const signal = new AbortController().signal;
      const response = await handle({
        method: 'GET',
        url,
        headers: {
          accept: 'text/plain',
          authorization: 'Bearer secret',
          cookie: 'secret',
          'impersonate-user': 'jane',
          'x-remote-user': 'jane',
        },
        body: () => 'secret',
        signal,
        peerCertificate: { commonName: 'jane', organizations: [] },
      });
      expect(response?.status).toBe(200);
      expect(seen).toHaveLength(1);
      expect(seen[0]).toMatchObject({ method: 'GET', url, headers: { accept: 'text/plain' } });
      expect(JSON.stringify(seen[0])).not.toMatch(/secret|jane/);
      expect(seen[0]?.body).toBeUndefined();
      expect(seen[0]?.signal).toBe(signal);
    },
  );

  it.each([
    '/',
    '/version',
    '/apis/events.example.com/v1/events',
    '/livezz',
    '/readyz%2F..',
    '/api/v1/events?path=/livez',
    '//livez',
    '/x/../livez',
    'http://host/livez',
  ])('refuses %s in the words of a Status that names the port', async (url) => {
    const { seen, handle } = behind();
    const response = await handle({ method: 'GET', url, headers: { authorization: 'Bearer secret' } });
    expect([response?.status, seen]).toEqual([403, []]);
    expect(response?.headers).toMatchObject({
      'cache-control': 'no-cache, private',
      'x-content-type-options': 'nosniff',
    });
    expect(JSON.parse(String(response?.body))).toMatchObject({
      kind: 'Status',
      reason: 'Forbidden',
      message: expect.stringContaining('use the HTTPS port') as string,
    });
  });
});
