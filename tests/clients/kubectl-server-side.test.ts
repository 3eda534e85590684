import { describe, expect, it } from 'vitest';
import { describeWithKubectl } from './kubectl-binaries.js';
import type { Finished } from './kubectl.js';
import { EVENTS, GROUP, kubectlSession } from './kubectl-session.js';
import { manifestText, series } from './manifests.js';

describeWithKubectl('kubectl, where managedFields are tracked,', ([binary]) => {
  const kubectl = kubectlSession(binary);
  const { create, read } = kubectl;
  const apply = (stdin: string, ...args: string[]): Promise<Finished> =>
    kubectl.run(['apply', '--server-side', '-f', '-', ...args], { stdin });

  describe('with apply --server-side', () => {
    it('creates the event, and changes nothing the second time', async () => {
      const text = manifestText(GROUP, 'once', { series: series(2) });
      expect(await apply(text)).toMatchObject({ code: 0, stdout: `event.${GROUP}/once serverside-applied\n` });
      const first = await read('once');
      expect(await apply(text)).toMatchObject({ code: 0, stdout: `event.${GROUP}/once serverside-applied\n` });
      expect(await read('once')).toEqual(first);
    });

    it('reports a conflict over fields that another manager owns, unless it is forced', async () => {
      const [theirs, ours] = [2, 3].map((count) => manifestText(GROUP, 'owned', { series: series(count) }));
      expect(await apply(theirs ?? '')).toMatchObject({ code: 0 });
      const { code, stdout, stderr } = await apply(ours ?? '', '--field-manager=other');
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('conflict');
      expect(stderr).toContain('conflict with "kubectl": .series.count');
      expect((await read('owned')).series?.count).toBe(2);

      expect(await apply(ours ?? '', '--field-manager=other', '--force-conflicts')).toMatchObject({ code: 0 });
      expect((await read('owned')).series?.count).toBe(3);
      // The first manager now conflicts with the second.
      expect((await apply(theirs ?? '')).stderr).toContain('conflict with "other": .series.count');
    });

    it('stores nothing with --dry-run=server, and diff --server-side shows what would change', async () => {
      const [before, after] = [2, 3].map((count) => manifestText(GROUP, 'tried', { series: series(count) }));
      expect(await apply(before ?? '', '--dry-run=server')).toMatchObject({
        code: 0,
        stdout: `event.${GROUP}/tried serverside-applied (server dry run)\n`,
      });
      expect((await kubectl.run(['get', EVENTS, 'tried'])).code).toBe(1);
      await apply(before ?? '');
      const diff = (stdin: string): Promise<Finished> => kubectl.run(['diff', '--server-side', '-f', '-'], { stdin });
      expect(await diff(before ?? '')).toMatchObject({ code: 0, stdout: '' });
      expect(await diff(after ?? '')).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^- +count: 2\n\+ +count: 3$/m) as string,
      });
      expect((await read('tried')).series?.count).toBe(2);
    });
  });

  it('shows managed fields only on request', async () => {
    await apply(manifestText(GROUP, 'managed'), '--field-manager=me');
    const get = ['get', EVENTS, 'managed', '-o', 'yaml'];
    expect(await kubectl.ok(get)).not.toContain('managedFields');
    const shown = await kubectl.ok([...get, '--show-managed-fields']);
    expect(shown).toMatch(
      /^ {2}managedFields:\n {2}- apiVersion: events\.example\.com\/v1\n {4}fieldsType: FieldsV1\n/m,
    );
    expect(shown).toMatch(/^ {4}manager: me\n {4}operation: Apply\n/m);
    expect(shown).toMatch(/^ +f:note: \{\}$/m);
  });

  it('describes an event without its managed fields', async () => {
    await create('described');
    for (const resource of [EVENTS, 'events']) {
      const { code, stdout, stderr } = await kubectl.run(['describe', resource, 'described']);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Name: +described\n/);
      expect(stdout).toMatch(/^Events: +<none>$/m);
      expect(stdout).not.toMatch(/managed ?fields/i);
    }
  });
});

describeWithKubectl('kubectl with events of core/v1', ([binary]) => {
  const kubectl = kubectlSession(binary);
  const { create } = kubectl;
  const of = (namespace: string, name: string) => ({
    metadata: { namespace },
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name },
  });

  it('lists the events of one namespace or of all', async () => {
    await create('web-pulled', of('shop', 'web'));
    await create('db-pulled', of('shop', 'db'));
    await create('elsewhere', of('other', 'web'));
    const events = async (...args: string[]): Promise<readonly string[]> =>
      (await kubectl.ok(['events', ...args])).trimEnd().split('\n');
    const [header, ...rows] = await events('-n', 'shop');
    expect(header).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/);
    expect(rows.sort()).toEqual([
      expect.stringMatching(/ Normal +Pulled +Pod\/db +image pulled$/),
      expect.stringMatching(/ Normal +Pulled +Pod\/web +image pulled$/),
    ]);
    expect(await events('-n', 'shop', '--types=Warning')).toHaveLength(1);
    // The server records events of its own.
    expect((await events('-A')).filter((row) => /^(shop|other) /.test(row))).toHaveLength(3);
  });

  it('lists the events of one object, and shows them in describe', async () => {
    const target = `events.v1.${GROUP}/target`;
    await create('target', { metadata: { namespace: 'for' } });
    const uid = await kubectl.ok(['get', EVENTS, 'target', '-n', 'for', '-o', 'jsonpath={.metadata.uid}']);
    const regarding = { apiVersion: `${GROUP}/v1`, kind: 'Event', namespace: 'for', name: 'target', uid };
    await create('about', { metadata: { namespace: 'for' }, regarding });
    expect(await kubectl.ok(['events', '-n', 'for', '--for', target])).toMatch(
      /^LAST SEEN .*\n\S+ .*Event\/target +image pulled\n$/,
    );
    expect(await kubectl.ok(['describe', EVENTS, 'target', '-n', 'for'])).toMatch(
      /^Events:\n[^]* Pulled .*image pulled$/m,
    );
  });

  it("prints the columns of the server's table", async () => {
    await create('short', of('table', 'web'));
    const table = /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n\S+ +Normal +Pulled +pod\/web +image pulled\n$/;
    expect(await kubectl.ok(['get', 'ev', '-n', 'table'])).toMatch(table);
    expect(await kubectl.ok(['get', 'ev', '-n', 'table', '-o', 'jsonpath={.items[*].message}'])).toBe('image pulled');
  });
});
