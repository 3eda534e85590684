import { beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../src/index.js';
import { describeWithKubectl } from './kubectl-binaries.js';
import { EVENTS, GROUP, kubectlSession } from './kubectl-session.js';
import { manifest, manifestText, series } from './manifests.js';

describeWithKubectl(
  'kubectl',
  ([binary]) => {
    const kubectl = kubectlSession(binary);
    const { create, read } = kubectl;

    describe('create', () => {
      it('accepts a manifest and validates it', async () => {
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

      it('reports an invalid value, and a name that is taken', async () => {
        const bad = await kubectl.run(['create', '-f', '-'], { stdin: manifestText(GROUP, 'bad', { type: 'Odd' }) });
        expect(bad).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('The Event "bad" is invalid: type:') as string,
        });
        await create('twice');
        const again = await kubectl.run(['create', '-f', '-'], { stdin: manifestText(GROUP, 'twice') });
        expect(again.stderr).toContain(
          `(AlreadyExists): error when creating "STDIN": ${EVENTS} "twice" already exists`,
        );
      });

      it('stores nothing with --dry-run=server', async () => {
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

      it('prints JSON, YAML and names', async () => {
        const list = JSON.parse(await kubectl.ok(['get', EVENTS, '-l', 'suite=get', '-o', 'json'])) as {
          items: Event[];
        };
        expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['get-a', 'get-b']);
        expect(await kubectl.ok(['get', EVENTS, 'get-b', '-o', 'yaml'])).toContain(
          '\nseries:\n  count: 3\n  lastObservedTime: "2024-01-02T04:04:05.123456Z"\ntype: Normal\n',
        );
        expect(await kubectl.ok(['get', EVENTS, '-l', 'suite=get', '-o', 'name'])).toBe(
          `event.${GROUP}/get-a\nevent.${GROUP}/get-b\n`,
        );
      });

      it('lists all namespaces, and sorts the list', async () => {
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

      it('reads a list in pages', async () => {
        const all = await kubectl.ok(['get', EVENTS, '-A', '-o', 'name']);
        expect(await kubectl.ok(['get', EVENTS, '-A', '-o', 'name', '--chunk-size=1'])).toBe(all);
      });

      it('names a missing event, in whichever namespace', async () => {
        for (const namespace of ['default', 'other']) {
          const { stderr } = await kubectl.run(['get', EVENTS, 'none', '-n', namespace]);
          expect(stderr).toContain(`(NotFound): ${EVENTS} "none" not found`);
        }
      });

      it('accepts the short name and the plural', async () => {
        for (const word of ['ev', 'event', 'events']) {
          // Where two groups have the same resource, kubectl chooses the core group.
          expect(await kubectl.ok(['get', word, 'get-a', '-o', 'name'])).toBe('event/get-a\n');
        }
      });

      it('describes an event with all of its fields', async () => {
        const text = await kubectl.ok(['describe', EVENTS, 'get-b']);
        expect(text).toMatch(/^Name: +get-b\nNamespace: +default\nLabels: +suite=get\n/);
        expect(text).toMatch(/^Series:\n +Count: +3\n/m);
      });

      it('watches with -w: first the current state, then every change', async () => {
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

    describe('through discovery', () => {
      it('explains the resource and a field', async () => {
        const explain = (...args: string[]): Promise<string> =>
          kubectl.ok(['explain', `--api-version=${GROUP}/v1`, ...args]);
        const resource = await explain('events');
        expect(resource).toMatch(/^GROUP: +events\.example\.com\nKIND: +Event\nVERSION: +v1\n/);
        expect(resource).toMatch(/^ +eventTime\s+<string> -required-$/m);
        expect(resource).toMatch(/^ +regarding\s+<ObjectReference>$/m);
        expect(await explain('events.series.count')).toMatch(/^FIELD: count <integer>$/m);
        expect(await explain('events', '--recursive')).toMatch(/^ +lastObservedTime\s+<string>/m);
      });

      it('lists the resource of both groups in api-resources', async () => {
        expect(await kubectl.ok(['api-versions'])).toBe(`${GROUP}/v1\nv1\n`);
        expect(await kubectl.ok(['api-resources', '--no-headers'])).toMatch(
          /^events +ev +v1 +true +Event *\nevents +ev +events\.example\.com\/v1 +true +Event *\n$/,
        );
        expect(await kubectl.ok(['api-resources', '-o', 'name', '--verbs=list,watch'])).toBe(`events\n${EVENTS}\n`);
      });

      it('reports the version of the server, and reads its health and events with --raw', async () => {
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
  },
  { aloud: true },
);
