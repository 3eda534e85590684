import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../src/index.js';
import { describeWithKubectl } from './kubectl-binaries.js';
import { createKubectl } from './kubectl.js';
import { EVENTS, GROUP } from './kubectl-session.js';
import { manifest, manifestText, series } from './manifests.js';
import { startStandalone, type Standalone } from './standalone.js';

describeWithKubectl('every kubectl of this machine', (binaries) => {
  let server: Standalone;
  beforeAll(async () => {
    // Each is 50 MB, and they start all at once: from a disk that has just been mounted that took longer than a command may.
    for (const { path } of binaries) await readFile(path);
    server = await startStandalone();
  }, 120_000);
  afterAll(async () => expect(await server.stop()).toBe(0));

  describe.concurrent.each(binaries)('$name', ({ name, path }) => {
    it('creates, reads, watches, changes, applies, explains and deletes events', async () => {
      const { kubeconfigPath, directory } = server;
      const kubectl = createKubectl({ binary: path, kubeconfigPath, directory });
      const namespace = `of-${name.replaceAll('.', '-')}`;
      const { ok, run } = {
        ok: (...args: string[]): Promise<string> => kubectl.ok(['-n', namespace, ...args]),
        run: (stdin: string, ...args: string[]) => kubectl.run(['-n', namespace, ...args], { stdin }),
      };
      const text = (more: Partial<Event> = {}): string =>
        manifestText(GROUP, 'one', { ...more, metadata: { namespace } });

      const misspelled = JSON.stringify({ ...manifest(GROUP, 'one', { metadata: { namespace } }), nota: 'x' });
      expect((await run(misspelled, 'create', '-f', '-')).stderr).toContain('unknown field "nota"');
      expect(await run(text(), 'create', '-f', '-')).toMatchObject({ stdout: `event.${GROUP}/one created\n` });

      expect(await ok('get', EVENTS)).toMatch(/^LAST SEEN .*\n\S+ +Normal +Pulled +pod\/web +image pulled\n$/);
      expect(await ok('get', EVENTS, 'one', '-o', 'jsonpath={.note}')).toBe('image pulled');
      expect(await ok('describe', EVENTS, 'one')).toMatch(/^Name: +one\n/);

      const watch = kubectl.follow(['-n', namespace, 'get', EVENTS, '-w', '-o', 'wide', '--output-watch-events']);
      await watch.line(/^ADDED .* one$/);
      await ok('patch', EVENTS, 'one', '-p', JSON.stringify({ series: series(2) }));
      await watch.line(/^MODIFIED .* 2 +one$/);
      await ok('label', EVENTS, 'one', 'tier=front');
      expect(await run(text({ series: series(4) }), 'replace', '-f', '-')).toMatchObject({ code: 0 });
      await watch.line(/^MODIFIED .* 4 +one$/);

      const applied = text({ series: series(5) });
      expect((await run(applied, 'apply', '-f', '-')).stdout).toBe(`event.${GROUP}/one configured\n`);
      expect((await run(applied, 'apply', '-f', '-')).stdout).toBe(`event.${GROUP}/one unchanged\n`);
      const editor = { env: { KUBE_EDITOR: 'sed -i.bak "s/count: 5/count: 6/"' } };
      expect(await kubectl.ok(['-n', namespace, 'edit', EVENTS, 'one'], editor)).toBe(`event.${GROUP}/one edited\n`);

      await ok('wait', EVENTS, 'one', '--for=jsonpath={.series.count}=6', '--timeout=10s');
      expect(await ok('explain', 'events.series', `--api-version=${GROUP}/v1`)).toMatch(/lastObservedTime\s+<string>/);
      expect(await ok('api-resources', '--no-headers')).toContain(`${GROUP}/v1`);
      expect(await ok('get', '--raw', '/readyz')).toBe('ok');

      await ok('delete', EVENTS, 'one');
      await watch.line(/^DELETED .* one$/);
      await watch.stop();
      await ok('wait', EVENTS, 'one', '--for=delete', '--timeout=10s');
    });
  });
});
