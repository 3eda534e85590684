import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../src/index.js';
import { describeWithKubectl } from './kubectl-binaries.js';
import { createKubectl, type Kubectl } from './kubectl.js';
import { manifest, manifestText, series } from './manifests.js';
import { startStandalone, type Standalone } from './standalone.js';

const GROUP = 'events.example.com';
const EVENTS = `events.${GROUP}`;

describeWithKubectl('kubectl', ([binary]) => {
  let server: Standalone;
  let kubectl: Kubectl;
  beforeAll(async () => {
    server = await startStandalone();
    const { kubeconfigPath, directory } = server;
    kubectl = createKubectl({ binary: binary?.path ?? '', kubeconfigPath, directory });
  });
  afterAll(async () => expect(await server.stop()).toBe(0));

  const create = (name: string, more?: Partial<Event>): Promise<string> =>
    kubectl.ok(['create', '-f', '-'], { stdin: manifestText(GROUP, name, more) });
  const read = async (name: string): Promise<Event> =>
    JSON.parse(await kubectl.ok(['get', EVENTS, name, '-o', 'json'])) as Event;

  describe('create', () => {
    it('takes a manifest and validates it', async () => {
      expect(await create('create')).toBe(`event.${GROUP}/create created\n`);
      expect(await read('create')).toMatchObject(manifest(GROUP, 'create'));
    });

    it('refuses a field that does not exist, and creates nothing', async () => {
      const stdin = JSON.stringify({ ...manifest(GROUP, 'misspelled'), nota: 'x' });
      const { code, stderr } = await kubectl.run(['create', '-f', '-'], { stdin });
      expect(code).toBe(1);
      expect(stderr).toContain('unknown field "nota"');
      expect((await kubectl.run(['get', EVENTS, 'misspelled'])).stderr).toBe(
        `Error from server (NotFound): ${EVENTS} "misspelled" not found\n`,
      );
    });

    it('says what is wrong with a value, and that a name is taken', async () => {
      const bad = await kubectl.run(['create', '-f', '-'], { stdin: manifestText(GROUP, 'bad', { type: 'Odd' }) });
      expect(bad).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The Event "bad" is invalid: type:') as string,
      });
      await create('twice');
      const again = await kubectl.run(['create', '-f', '-'], { stdin: manifestText(GROUP, 'twice') });
      expect(again.stderr).toContain(`(AlreadyExists): error when creating "STDIN": ${EVENTS} "twice" already exists`);
    });

    it('leaves nothing behind with --dry-run=server', async () => {
      const stdin = manifestText(GROUP, 'dry');
      expect(await kubectl.ok(['create', '--dry-run=server', '-f', '-'], { stdin })).toBe(
        `event.${GROUP}/dry created (server dry run)\n`,
      );
      expect((await kubectl.run(['get', EVENTS, 'dry'])).code).toBe(1);
    });
  });

  describe('get', () => {
    beforeAll(async () => {
      await create('get-b', { metadata: { labels: { suite: 'get' } }, series: series(3) });
      await create('get-a', { metadata: { labels: { suite: 'get' } }, reason: 'Killed', type: 'Warning' });
      await create('get-c', { metadata: { labels: { suite: 'get' }, namespace: 'other' } });
    });

    it('shows a table, wider with -o wide', async () => {
      const lines = (await kubectl.ok(['get', EVENTS, '-l', 'suite=get'])).split('\n');
      expect(lines[0]).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/);
      expect(lines[1]).toMatch(/^\d+y\d+d +Warning +Killed +pod\/web +image pulled$/);
      const wide = (await kubectl.ok(['get', EVENTS, '-l', 'suite=get', '-o', 'wide'])).split('\n');
      expect(wide[0]).toMatch(/^LAST SEEN +TYPE .* SUBOBJECT +SOURCE +MESSAGE +FIRST SEEN +COUNT +NAME$/);
      expect(wide[2]).toMatch(/ example\.com\/kubelet, node-1 .* 3 +get-b$/);
    });

    it('shows labels as columns', async () => {
      expect(await kubectl.ok(['get', EVENTS, 'get-a', '--show-labels'])).toMatch(/ suite=get\n$/);
      expect(await kubectl.ok(['get', EVENTS, 'get-a', '-L', 'suite'])).toMatch(/ SUITE\n.* get\n$/);
    });

    it('gives JSON, YAML and names', async () => {
      const list = JSON.parse(await kubectl.ok(['get', EVENTS, '-l', 'suite=get', '-o', 'json'])) as { items: Event[] };
      expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['get-a', 'get-b']);
      expect(await kubectl.ok(['get', EVENTS, 'get-b', '-o', 'yaml'])).toContain(
        '\nseries:\n  count: 3\n  lastObservedTime: "2024-01-02T04:04:05.123456Z"\ntype: Normal\n',
      );
      expect(await kubectl.ok(['get', EVENTS, '-l', 'suite=get', '-o', 'name'])).toBe(
        `event.${GROUP}/get-a\nevent.${GROUP}/get-b\n`,
      );
    });

    it('looks into all namespaces, and sorts', async () => {
      expect(await kubectl.ok(['get', EVENTS, '-A', '-l', 'suite=get'])).toMatch(/^NAMESPACE[^]*\nother .*\n$/);
      const sorted = ['get', EVENTS, '-l', 'suite=get', '-o', 'name', '--sort-by'];
      expect(await kubectl.ok([...sorted, '.reason'])).toMatch(/get-a\n.*get-b\n$/);
      expect(await kubectl.ok([...sorted, '.type'])).toMatch(/get-b\n.*get-a\n$/);
      expect(await kubectl.ok(['get', EVENTS, '-l', 'suite=get', '--sort-by=.type'])).toMatch(/Normal[^]*Warning/);
    });

    it('selects by label and by field', async () => {
      const names = async (...args: string[]): Promise<string> =>
        (await kubectl.ok(['get', EVENTS, '-o', 'name', ...args])).replaceAll(`event.${GROUP}/`, '');
      expect(await names('-l', 'suite in (get),suite!=put', '--field-selector', 'reason=Killed')).toBe('get-a\n');
      expect(await names('-l', 'suite=get', '--field-selector', 'reason!=Killed,type=Normal')).toBe('get-b\n');
      expect(await names('-A', '--field-selector', 'metadata.namespace=other')).toBe('get-c\n');
      const unknown = await kubectl.run(['get', EVENTS, '--field-selector', 'nope=1']);
      expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('(BadRequest)') as string });
    });

    it('walks a list in pages', async () => {
      const all = await kubectl.ok(['get', EVENTS, '-A', '-o', 'name']);
      expect(await kubectl.ok(['get', EVENTS, '-A', '-o', 'name', '--chunk-size=1'])).toBe(all);
    });

    it('understands the short name and the plain one', async () => {
      for (const word of ['ev', 'event', 'events']) {
        expect(await kubectl.ok(['get', word, 'get-a', '-o', 'name'])).toBe(`event.${GROUP}/get-a\n`);
      }
    });

    it('describes', async () => {
      const text = await kubectl.ok(['describe', EVENTS, 'get-b']);
      expect(text).toMatch(/^Name: +get-b\nNamespace: +default\nLabels: +suite=get\n/);
      expect(text).toMatch(/^Series:\n +Count: +3\n/m);
    });

    it('follows with -w: the start, then every change', async () => {
      await create('watched', { metadata: { labels: { suite: 'watch' } } });
      const watch = kubectl.follow([
        'get',
        EVENTS,
        '-A',
        '-l',
        'suite=watch',
        '-w',
        '--output-watch-events',
        '-o',
        'wide',
      ]);
      await watch.line(/^ADDED +default .* watched$/);
      await kubectl.ok(['patch', EVENTS, 'watched', '-p', JSON.stringify({ series: series(7) })]);
      await watch.line(/^MODIFIED .* 7 +watched$/);
      await create('later', { metadata: { labels: { suite: 'watch' } } });
      await watch.line(/^ADDED .* later$/);
      await kubectl.ok(['label', EVENTS, 'later', 'suite-']);
      await watch.line(/^DELETED .* later$/);
      await kubectl.ok(['delete', EVENTS, 'watched']);
      await watch.line(/^DELETED .* watched$/);
      await watch.stop();
      expect(watch.lines()).toHaveLength(6);
    });
  });

  describe('change', () => {
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

    it('refuses what cannot change, with the name of the field', async () => {
      await create('frozen');
      const { code, stderr } = await kubectl.run(['patch', EVENTS, 'frozen', '-p', '{"note":"other"}']);
      expect(code).toBe(1);
      expect(stderr).toBe('The Event "frozen" is invalid: note: Invalid value: "other": field is immutable\n');
    });

    it('labels and annotates, and takes both away', async () => {
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

    it('edits in an editor', async () => {
      await create('edited', { series: series(2) });
      const editor = join(kubectl.home, 'editor');
      writeFileSync(editor, '#!/bin/sh\nsed -i.bak "s/count: 2/count: 9/" "$1"\n');
      chmodSync(editor, 0o755);
      expect(await kubectl.ok(['edit', EVENTS, 'edited'], { env: { KUBE_EDITOR: editor } })).toBe(
        `event.${GROUP}/edited edited\n`,
      );
      expect((await read('edited')).series?.count).toBe(9);
      const untouched = await kubectl.run(['edit', EVENTS, 'edited'], { env: { KUBE_EDITOR: 'true' } });
      expect(untouched.stdout + untouched.stderr).toContain('Edit cancelled, no changes made.');
    });

    it('replaces, and refuses a version that is no longer the latest', async () => {
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

    it('applies: creates, does nothing, changes; diff says so before', async () => {
      const apply = (stdin: string): Promise<string> => kubectl.ok(['apply', '-f', '-'], { stdin });
      const before = manifestText(GROUP, 'applied', { series: series(2) });
      const after = manifestText(GROUP, 'applied', { series: series(3) });
      expect(await apply(before)).toBe(`event.${GROUP}/applied created\n`);
      const { resourceVersion } = (await read('applied')).metadata;
      expect(await apply(before)).toBe(`event.${GROUP}/applied unchanged\n`);
      expect((await read('applied')).metadata.resourceVersion).toBe(resourceVersion);

      const diff = await kubectl.run(['diff', '-f', '-'], { stdin: after });
      expect(diff).toMatchObject({ code: 1, stdout: expect.stringMatching(/^- +count: 2\n\+ +count: 3$/m) as string });
      expect(await apply(after)).toBe(`event.${GROUP}/applied configured\n`);
      expect((await read('applied')).series?.count).toBe(3);
      expect(await kubectl.run(['diff', '-f', '-'], { stdin: after })).toMatchObject({ code: 0, stdout: '' });
      // What the manifest no longer names is taken away: a field that may not change, here.
      expect(await apply(manifestText(GROUP, 'applied'))).toBe(`event.${GROUP}/applied configured\n`);
      expect((await read('applied')).series).toBeUndefined();
    });
  });

  describe('delete and wait', () => {
    it('waits until it is gone', async () => {
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

    it('deletes by selector, and everything in a namespace', async () => {
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

    it('says that there is nothing to delete', async () => {
      expect(await kubectl.run(['delete', EVENTS, 'nobody'])).toMatchObject({
        code: 1,
        stderr: `Error from server (NotFound): ${EVENTS} "nobody" not found\n`,
      });
      expect((await kubectl.run(['delete', EVENTS, 'nobody', '--ignore-not-found'])).code).toBe(0);
    });

    it('waits for a value', async () => {
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

  describe('the API', () => {
    it('explains the resource and a field', async () => {
      const resource = await kubectl.ok(['explain', EVENTS]);
      expect(resource).toMatch(/^GROUP: +events\.example\.com\nKIND: +Event\nVERSION: +v1\n/);
      expect(resource).toMatch(/^ +eventTime\s+<string> -required-$/m);
      expect(resource).toMatch(/^ +regarding\s+<ObjectReference>$/m);
      expect(await kubectl.ok(['explain', `${EVENTS}.series.count`])).toMatch(/^FIELD: count <integer>$/m);
      expect(await kubectl.ok(['explain', EVENTS, '--recursive'])).toMatch(/^ +lastObservedTime\s+<string>/m);
    });

    it('is listed', async () => {
      expect(await kubectl.ok(['api-versions'])).toBe(`${GROUP}/v1\n`);
      expect(await kubectl.ok(['api-resources', '--no-headers'])).toMatch(
        /^events +ev +events\.example\.com\/v1 +true +Event *\n$/,
      );
      expect(await kubectl.ok(['api-resources', '-o', 'name', '--verbs=list,watch'])).toBe(`${EVENTS}\n`);
    });

    it('has a version and tells its health', async () => {
      const { serverVersion } = JSON.parse(await kubectl.ok(['version', '-o', 'json'])) as {
        readonly serverVersion: { readonly major: string };
      };
      expect(serverVersion.major).toBe('1');
      expect(await kubectl.ok(['get', '--raw', '/readyz?verbose'])).toMatch(
        /^\[\+\]ping ok\n[^]*\n\[\+\]shutdown ok\nhealthz check passed\n$/,
      );
      expect(await kubectl.ok(['get', '--raw', '/livez'])).toBe('ok');
      const events = JSON.parse(await kubectl.ok(['get', '--raw', `/apis/${GROUP}/v1/events?limit=1`])) as object;
      expect(events).toMatchObject({ kind: 'EventList', metadata: { continue: expect.any(String) as string } });
    });
  });
});
