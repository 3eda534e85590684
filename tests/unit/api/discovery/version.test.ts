import { describe, expect, it } from 'vitest';
import { createVersion, versionDocument } from '../../../../src/api/discovery/version.js';

describe('versionDocument', () => {
  it('is indented JSON in Kubernetes’ order', () => {
    const document = versionDocument({ gitVersion: 'v1.36.2+mine', platform: 'linux/amd64' });
    expect(document).toBe(JSON.stringify(JSON.parse(document), null, 2));
    expect(JSON.parse(document)).toMatchObject({ major: '1', gitVersion: 'v1.36.2+mine', platform: 'linux/amd64' });
    expect(Object.keys(JSON.parse(document) as object)).toEqual([
      'major',
      'minor',
      'emulationMajor',
      'emulationMinor',
      'minCompatibilityMajor',
      'minCompatibilityMinor',
      'gitVersion',
      'gitCommit',
      'gitTreeState',
      'buildDate',
      'goVersion',
      'compiler',
      'platform',
    ]);
  });

  it('names the release whose behaviour is served, and no build, unless more is known', () => {
    expect(JSON.parse(versionDocument())).toEqual({
      major: '1',
      minor: '36',
      emulationMajor: '1',
      emulationMinor: '36',
      minCompatibilityMajor: '1',
      minCompatibilityMinor: '35',
      gitVersion: 'v1.36.0+kube-vitals',
      gitCommit: '',
      gitTreeState: '',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: '',
      compiler: '',
      platform: '',
    });
  });

  it('leaves out empty compatibility fields, and only those', () => {
    const keys = Object.keys(JSON.parse(versionDocument({ emulationMajor: '', emulationMinor: undefined })) as object);
    expect(keys).not.toContain('emulationMajor');
    expect(keys).not.toContain('emulationMinor');
    expect(keys).toContain('gitCommit');
  });
});

describe('createVersion', () => {
  const version = createVersion();
  const get = (path: string, accept?: string, method = 'GET'): ReturnType<typeof version> =>
    version({ method, url: path, headers: { accept } }, path);

  it('serves /version and /version/', async () => {
    for (const path of ['/version', '/version/']) {
      expect(await get(path)).toEqual({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: versionDocument(),
      });
    }
    expect(get('/versions')).toBeUndefined();
    expect((await get('/version', 'application/json, */*'))?.status).toBe(200);
  });

  it('refuses any media type but JSON and any method but GET', async () => {
    const refused = await get('/version', 'application/yaml');
    expect(refused?.status).toBe(406);
    expect(refused?.headers['content-type']).toBe('application/yaml');
    expect(Buffer.from(refused?.body as Uint8Array).toString()).toContain(
      'Available representations: application/json\n',
    );
    expect((await get('/version', undefined, 'POST'))?.status).toBe(405);
  });
});
