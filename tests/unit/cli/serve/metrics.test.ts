import { describe, expect, it } from 'vitest';
import { METRICS_PATHS, serverMetrics } from '../../../../src/cli/serve/metrics.js';
import { staticTokens } from '../../../../src/index.js';

describe('the metrics of the standalone server', () => {
  it('are those of the library and of the process, for callers who may get the path', async () => {
    const metrics = await serverMetrics(
      {
        authenticate: staticTokens({ t: { name: 'prometheus' }, u: { name: 'other' } }),
        authorize: ({ name }) => ({ allowed: name === 'prometheus' }),
      },
      () => undefined,
    );
    void metrics.observe({ type: 'health.probed', root: 'readyz', checks: [{ name: 'ping', status: 'ok' }] });
    const get = async (url: string, token: string): Promise<{ readonly status?: number; readonly body?: unknown }> =>
      (await metrics.handle({ method: 'GET', url, headers: { authorization: `Bearer ${token}` } })) ?? {};
    for (const path of METRICS_PATHS) {
      expect(await get(path, 't')).toMatchObject({
        status: 200,
        body: expect.stringContaining('kubernetes_healthcheck{') as unknown,
      });
      expect(await get(path, 'u')).toMatchObject({ status: 403 });
      expect(await get(path, 'none')).toMatchObject({ status: 401 });
    }
    expect((await get('/metrics', 't')).body).toContain('process_resident_memory_bytes');
  });

  it('can be read as another user, as all that the server serves', async () => {
    const metrics = await serverMetrics(
      {
        authenticate: staticTokens({ t: { name: 'root' } }),
        authorize: ({ name }, attributes) => ({
          allowed: name === 'prometheus' || (name === 'root' && attributes.verb === 'impersonate'),
        }),
      },
      () => undefined,
    );
    const as = async (user: string): Promise<number | undefined> => {
      const headers = { authorization: 'Bearer t', 'impersonate-user': user };
      return (await metrics.handle({ method: 'GET', url: '/metrics', headers }))?.status;
    };
    expect([await as('prometheus'), await as('other')]).toEqual([200, 403]);
  });
});
