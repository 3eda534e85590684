import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeWithKubectl } from './kubectl-binaries.js';
import { EVENTS, GROUP, kubectlSession } from './kubectl-session.js';
import { manifestText, series } from './manifests.js';

describeWithKubectl('kubectl', ([binary]) => {
  const kubectl = kubectlSession(binary);
  const { create, read } = kubectl;

  describe('as it changes events,', () => {
    it('patches in three ways, strategic by default', async () => {
      await create('patched', { metadata: { finalizers: ['example.com/a'] } });
      const patch = (...args: string[]): Promise<string> => kubectl.ok(['patch', EVENTS, 'patched', ...args]);
      expect(
        await patch('-p', JSON.stringify({ series: series(2), metadata: { finalizers: ['example.com/b'] } })),
      ).toBe(`event.${GROUP}/patched patched\n`);
      expect(await read('patched')).toMatchObject({
        series: { count: 2 },
        metadata: { finalizers: ['example.com/b', 'example.com/a'] },
      });
      await patch('--type=merge', '-p', '{"series":{"count":3},"metadata":{"finalizers":null}}');
      await patch(
        '--type=json',
        '-p',
        '[{"op":"test","path":"/series/count","value":3},{"op":"replace","path":"/series/count","value":4}]',
      );
      const patched = await read('patched');
      expect(patched.series?.count).toBe(4);
      expect(patched.metadata.finalizers).toBeUndefined();
      expect(await patch('-p', '{"series":{"count":4}}')).toBe(`event.${GROUP}/patched patched (no change)\n`);
    });

    it('reports a change of an immutable field with the name of the field', async () => {
      await create('frozen');
      const { code, stderr } = await kubectl.run(['patch', EVENTS, 'frozen', '-p', '{"note":"other"}']);
      expect(code).toBe(1);
      expect(stderr).toBe('The Event "frozen" is invalid: note: Invalid value: "other": field is immutable\n');
    });

    it('labels and annotates an event, and removes both again', async () => {
      await create('labelled');
      expect(await kubectl.ok(['label', EVENTS, 'labelled', 'tier=front'])).toBe(`event.${GROUP}/labelled labeled\n`);
      expect((await kubectl.run(['label', EVENTS, 'labelled', 'tier=back'])).code).toBe(1);
      await kubectl.ok(['label', EVENTS, 'labelled', 'tier=back', '--overwrite']);
      await kubectl.ok(['annotate', EVENTS, 'labelled', 'example.com/by=me']);
      expect((await read('labelled')).metadata).toMatchObject({
        labels: { tier: 'back' },
        annotations: { 'example.com/by': 'me' },
      });
      await kubectl.ok(['label', EVENTS, 'labelled', 'tier-']);
      await kubectl.ok(['annotate', EVENTS, 'labelled', 'example.com/by-']);
      const { metadata } = await read('labelled');
      expect([metadata.labels, metadata.annotations]).toEqual([undefined, undefined]);
    });

    it('edits an event in an editor', async () => {
      await create('edited', { series: series(2) });
      const editor = join(kubectl.home(), 'editor');
      writeFileSync(editor, '#!/bin/sh\nsed -i.bak "s/count: 2/count: 9/" "$1"\n');
      chmodSync(editor, 0o755);
      expect(await kubectl.ok(['edit', EVENTS, 'edited'], { env: { KUBE_EDITOR: editor } })).toBe(
        `event.${GROUP}/edited edited\n`,
      );
      expect((await read('edited')).series?.count).toBe(9);
      const untouched = await kubectl.run(['edit', EVENTS, 'edited'], { env: { KUBE_EDITOR: 'true' } });
      expect(untouched.stdout + untouched.stderr).toContain('Edit cancelled, no changes made.');
    });

    it('replaces an event, and refuses a version that is no longer the latest', async () => {
      await create('replaced', { series: series(2) });
      const first = await read('replaced');
      const stdin = JSON.stringify({ ...first, series: series(5) });
      expect(await kubectl.ok(['replace', '-f', '-'], { stdin })).toBe(`event.${GROUP}/replaced replaced\n`);
      expect((await read('replaced')).series?.count).toBe(5);
      const stale = await kubectl.run(['replace', '-f', '-'], {
        stdin: JSON.stringify({ ...first, series: series(6) }),
      });
      expect(stale).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('the object has been modified') as string,
      });
      expect((await read('replaced')).series?.count).toBe(5);
    });

    it('creates with apply, does nothing when repeated, then changes; diff predicts each step', async () => {
      const apply = (stdin: string): Promise<string> => kubectl.ok(['apply', '-f', '-'], { stdin });
      const before = manifestText(GROUP, 'applied', { series: series(2) });
      const after = manifestText(GROUP, 'applied', { series: series(3) });
      expect(await apply(before)).toBe(`event.${GROUP}/applied created\n`);
      const { resourceVersion } = (await read('applied')).metadata;
      expect(await apply(before)).toBe(`event.${GROUP}/applied unchanged\n`);
      expect((await read('applied')).metadata.resourceVersion).toBe(resourceVersion);

      const diff = await kubectl.run(['diff', '-f', '-'], { stdin: after });
      expect(diff).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^- +count: 2\n\+ +count: 3$/m) as string,
      });
      expect(await apply(after)).toBe(`event.${GROUP}/applied configured\n`);
      expect((await read('applied')).series?.count).toBe(3);
      expect(await kubectl.run(['diff', '-f', '-'], { stdin: after })).toMatchObject({ code: 0, stdout: '' });
      // apply removes a field that the manifest no longer has; here it is one that may not change.
      expect(await apply(manifestText(GROUP, 'applied'))).toBe(`event.${GROUP}/applied configured\n`);
      expect((await read('applied')).series).toBeUndefined();
    });
  });

  describe('as it deletes or waits,', () => {
    it('waits until an event is deleted', async () => {
      await create('deleted', { metadata: { finalizers: ['example.com/hold'] } });
      const gone = kubectl.follow(['wait', EVENTS, 'deleted', '--for=delete', '--timeout=10s', '-v=6']);
      await gone.says(/watch=true/);
      const deletion = kubectl.follow(['delete', EVENTS, 'deleted']);
      await deletion.line(/"deleted" deleted/);
      expect((await read('deleted')).metadata.deletionTimestamp).toMatch(/Z$/);
      await kubectl.ok(['patch', EVENTS, 'deleted', '-p', '{"metadata":{"finalizers":null}}']);
      expect((await deletion.ended).code).toBe(0);
      expect(await gone.ended).toMatchObject({ code: 0, stdout: `event.${GROUP}/deleted condition met\n` });
    });

    it('deletes events by selector, and all of a namespace', async () => {
      const metadata = { namespace: 'doomed', labels: { doomed: 'yes' } };
      await create('d1', { metadata });
      await create('d2', { metadata });
      await create('d3', { metadata: { namespace: 'doomed' } });
      const left = (): Promise<string> => kubectl.ok(['get', EVENTS, '-n', 'doomed', '-o', 'name']);
      await kubectl.ok(['delete', EVENTS, '-n', 'doomed', '-l', 'doomed=yes']);
      expect(await left()).toBe(`event.${GROUP}/d3\n`);
      await kubectl.ok(['delete', EVENTS, '-n', 'doomed', '--all']);
      expect(await left()).toBe('');
    });

    it('reports that there is nothing to delete', async () => {
      expect(await kubectl.run(['delete', EVENTS, 'nobody'])).toMatchObject({
        code: 1,
        stderr: `Error from server (NotFound): ${EVENTS} "nobody" not found\n`,
      });
      expect((await kubectl.run(['delete', EVENTS, 'nobody', '--ignore-not-found'])).code).toBe(0);
    });

    it('waits until a field has a value', async () => {
      await create('awaited', { series: series(2) });
      const waiting = kubectl.follow([
        'wait',
        EVENTS,
        'awaited',
        '--for=jsonpath={.series.count}=5',
        '--timeout=10s',
        '-v=6',
      ]);
      await waiting.says(/watch=true/);
      await kubectl.ok(['patch', EVENTS, 'awaited', '-p', '{"series":{"count":5}}']);
      expect(await waiting.ended).toMatchObject({ code: 0, stdout: `event.${GROUP}/awaited condition met\n` });
    });
  });
});
