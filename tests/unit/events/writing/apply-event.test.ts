import { describe, expect, test } from 'vitest';
import { bench, event, metaOf, path } from '../bench.js';

const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const target = (name: string, more = ''): string => `PATCH ${path(`/${name}`)}?fieldManager=tester${more}`;

describe('an apply of a missing event', () => {
  test.each(['', '&dryRun=All', '&force=true'])('requires the right to create, too%s', async (more) => {
    const asked: unknown[] = [];
    const { json, revision } = bench({
      authorize: (_caller, attributes) => {
        asked.push(attributes);
        return { allowed: attributes.verb !== 'create' };
      },
    });
    const before = await revision();
    const refused = await json(target('a', more), event('a'), APPLY);
    expect([refused.status, refused.json['message']]).toEqual([
      403,
      'events.events.example.com "a" is forbidden: User "tester" cannot create resource "events" in API group ' +
        '"events.example.com" in the namespace "default"',
    ]);
    expect(asked).toMatchObject([
      { verb: 'patch', namespace: 'default', name: 'a', resource: 'events' },
      { verb: 'create', namespace: 'default', name: 'a', resource: 'events' },
    ]);
    expect(await revision()).toBe(before);
    expect((await json(`GET ${path('/a')}`)).status).toBe(404);
  });

  test('requires the right to patch: the right to create is not enough', async () => {
    const { json } = bench({ authorize: (_caller, { verb }) => ({ allowed: verb === 'create' || verb === 'get' }) });
    expect((await json(target('a'), event('a'), APPLY)).status).toBe(403);
    expect((await json(`GET ${path('/a')}`)).status).toBe(404);
  });

  test('does not require the right to create if the event exists', async () => {
    const { json } = bench({ authorize: (_caller, { verb }) => ({ allowed: verb !== 'create' || !created }) });
    let created = false;
    expect((await json(`POST ${path()}`, event('a'))).status).toBe(201);
    created = true;
    expect((await json(target('a'), event('a'), APPLY)).status).toBe(200);
  });

  test.each(['', '&dryRun=All', '&force=true'])('with a uid is a conflict, and creates nothing%s', async (more) => {
    const { json, revision } = bench();
    const before = await revision();
    const refused = await json(target('a', more), event('a', {}, { uid: 'another' }), APPLY);
    expect([refused.status, refused.json['reason'], refused.json['message']]).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on events.events.example.com "a": uid mismatch: the provided object specified ' +
        'uid another, and no existing object was found',
    ]);
    expect(await revision()).toBe(before);
  });

  test('makes the manager own the fields it has sent, and nobody else', async () => {
    const { json } = bench({ managedFields: true });
    const created = await json(target('a'), event('a'), APPLY);
    expect(metaOf(created.json)['managedFields']).toMatchObject([{ manager: 'tester', operation: 'Apply' }]);
    expect(metaOf(created.json)['managedFields']).toHaveLength(1);
  });

  test('gives it a new uid and revision, whatever revision was sent', async () => {
    const { json, revision } = bench();
    const created = await json(target('a'), event('a', {}, { resourceVersion: '4711' }), APPLY);
    expect([created.status, metaOf(created.json)['resourceVersion']]).toEqual([201, await revision()]);
    expect(metaOf(created.json)['uid']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(['x', '-1'])('is refused if the revision is %j', async (resourceVersion) => {
    const { json } = bench();
    for (const more of ['', '&dryRun=All']) {
      const { json: refused } = await json(target('a', more), event('a', {}, { resourceVersion }), APPLY);
      const message = `strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`;
      expect(refused).toMatchObject({ code: 400, message });
    }
    expect((await json(`GET ${path('/a')}`)).status).toBe(404);
  });
});

describe('an apply of an existing event', () => {
  test('with another uid is refused, and changes nothing', async () => {
    const { create, json } = bench();
    const created = await create('a');
    const sent = event('a', {}, { uid: 'another', labels: { a: '1' } });
    for (const more of ['', '&force=true']) {
      expect((await json(target('a', more), sent, APPLY)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await json(`GET ${path('/a')}`)).json).toEqual(created);
  });

  test('is a conflict if it names another revision, also if it changes nothing', async () => {
    const { create, json, revision } = bench({ managedFields: true });
    const created = await create('a');
    const before = await revision();
    for (const labels of [undefined, { a: '1' }]) {
      const sent = (resourceVersion: string) => event('a', {}, { resourceVersion, ...(labels && { labels }) });
      expect((await json(target('a', '&force=true'), sent('1'), APPLY)).json).toMatchObject({
        reason: 'Conflict',
        message: expect.stringMatching(/the object has been modified/) as string,
      });
      expect((await json(target('a', '&force=true'), sent('x'), APPLY)).status).toBe(400);
    }
    const minimal = { apiVersion: created['apiVersion'], kind: created['kind'], metadata: { name: 'a' } };
    const withRevision = (resourceVersion: unknown) => ({ ...minimal, metadata: { name: 'a', resourceVersion } });
    expect((await json(target('a'), withRevision('1'), APPLY)).status).toBe(409);
    expect((await json(target('a'), withRevision('x'), APPLY)).status).toBe(400);
    const current = metaOf(created)['resourceVersion'];
    expect((await json(target('a'), withRevision(current), APPLY)).json).toEqual(created);
    expect(await revision()).toBe(before);
  });

  test('with its own uid is an ordinary apply', async () => {
    const { create, json } = bench();
    const { uid } = metaOf(await create('a'));
    const applied = await json(target('a'), event('a', {}, { uid, labels: { a: '1' } }), APPLY);
    expect([applied.status, metaOf(applied.json)['uid'], metaOf(applied.json)['labels']]).toEqual([
      200,
      uid,
      { a: '1' },
    ]);
  });
});

test('an apply for another name and another namespace is refused for the namespace', async () => {
  const { json } = bench();
  const refused = await json(target('a'), event('b', {}, { namespace: 'other' }), APPLY);
  expect(refused.json['message']).toContain('the namespace of the provided object does not match');
});

test.each(['namespace', 'name'] as const)('an applied %s that contradicts the path is refused', async (which) => {
  const { json, revision } = bench();
  const before = await revision();
  const refused = await json(target('a'), event('a', {}, { [which]: 'other' }), APPLY);
  expect(refused.status).toBe(400);
  expect(await revision()).toBe(before);
});
