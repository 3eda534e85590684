import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  createEventsClient,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  watchEvents,
  type ApiRequest,
} from '../../../../src/client.js';
import type { ApiHandler } from '../../../../src/http/handler.js';
import { event, json, refused, scriptedClient } from '../scripted-client.js';
import { served } from '../served.js';

const client = (options = {}) => createEventsClient({ events: served(), namespace: 'default', ...options });

describe('a client of events in the same process', () => {
  it('has one listener on a signal that many calls and watches share', async () => {
    const events = client();
    await events.create(event('a'));
    const { signal } = new AbortController();
    const calls = Array.from({ length: 20 }, () => events.get({ name: 'a' }, { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    const watches = Array.from({ length: 20 }, () => watchEvents({ client: events, signal }));
    await Promise.all(watches.map((watch) => watch.next()));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await Promise.all([...calls, ...watches.map((watch) => watch.return?.())]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('has the group of the events', () => {
    expect(client().group).toBe('events.example.com');
  });

  it('creates, reads, updates, patches and deletes an event', async () => {
    const events = client();
    const created = await events.create(event('a'));
    expect(created).toMatchObject({ kind: 'Event', apiVersion: 'events.example.com/v1', reason: 'Tested' });
    expect(await events.get({ name: 'a' })).toEqual(created);

    const updated = await events.update({ ...created, metadata: { ...created.metadata, labels: { app: 'shop' } } });
    expect(updated.metadata.labels).toEqual({ app: 'shop' });
    const merged = await events.patch(
      { name: 'a' },
      { type: 'merge', patch: { metadata: { labels: { tier: 'web' } } } },
    );
    expect(merged.metadata.labels).toEqual({ app: 'shop', tier: 'web' });
    const strategic = { series: { count: 2, lastObservedTime: '2026-03-05T06:07:09.000000Z' } };
    expect((await events.patch({ name: 'a' }, { type: 'strategic', patch: strategic })).series?.count).toBe(2);
    const json = [{ op: 'replace', path: '/series/count', value: 3 }];
    expect((await events.patch({ name: 'a' }, { type: 'json', patch: json })).series?.count).toBe(3);
    const labels = { metadata: { labels: { applied: 'yes' } } };
    const applied = await events.patch({ name: 'a' }, { type: 'apply', patch: labels });
    expect(applied.metadata.labels).toMatchObject({ applied: 'yes', app: 'shop' });

    await events.delete({ name: 'a' });
    await expect(events.get({ name: 'a' })).rejects.toSatisfy(isNotFound);
  });

  it('calls a transport that is written as a class as its method', async () => {
    class Counting {
      readonly #handle = served().as({ name: 'shop' });
      requests = 0;

      handle(...sent: Parameters<ApiHandler>): ReturnType<ApiHandler> {
        this.requests += 1;
        return this.#handle(...sent);
      }
      async close(): Promise<void> {}
    }
    const transport = new Counting();
    const events = createEventsClient({ transport, group: 'events.example.com', namespace: 'default' });
    await events.create(event('a'));
    expect((await events.get({ name: 'a' })).metadata.name).toBe('a');
    expect(transport.requests).toBe(2);
  });

  it('names the length of its bodies, so that they count with no more in limits.bytes', async () => {
    const handle = served().as({ name: 'shop' });
    const lengths: unknown[] = [];
    const events = createEventsClient({
      namespace: 'default',
      group: 'events.example.com',
      async transport(request) {
        const text = (await request.body?.(Infinity)) as string | undefined;
        lengths.push([
          request.headers?.['content-length'],
          text === undefined ? undefined : `${Buffer.byteLength(text)}`,
        ]);
        return handle(request);
      },
    });
    const { metadata } = await events.create(event('a', { note: 'ä€𝄞' }));
    await events.patch({ name: 'a' }, { type: 'merge', patch: { metadata: { labels: { app: 'shop' } } } });
    await events.delete({ name: 'a' }, { uid: metadata.uid });
    expect(lengths).toHaveLength(3);
    for (const [named, actual] of lengths as [string, string][]) expect(named).toBe(actual);
    await expect(events.get({ name: 'a' })).rejects.toSatisfy(isNotFound);
    expect(lengths.at(-1)).toEqual([undefined, undefined]);
  });

  it('requests JSON by its name, over a connected transport', async () => {
    const handle = served().as({ name: 'shop' });
    const sent: unknown[] = [];
    const transport = {
      handle: (request: ApiRequest) => {
        sent.push(request.headers);
        return handle(request);
      },
      close: () => Promise.resolve(),
    };
    const events = createEventsClient({ transport, namespace: 'default', group: 'events.example.com' });
    expect(await events.list().toArray()).toEqual([]);
    expect(sent).toEqual([{ accept: 'application/json', 'user-agent': 'kube-vitals' }]);
  });

  it('deletes the events that it selects', async () => {
    const events = client();
    for (const name of ['a', 'b', 'c']) await events.create(event(name, { reason: name === 'b' ? 'Kept' : 'Tested' }));
    await events.deleteCollection({ fieldSelector: 'reason=Tested' });
    expect((await events.list().toArray()).map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('reads a note of 64 kB', async () => {
    const events = client();
    const note = 'ä'.repeat(500);
    await events.create(event('a', { note }));
    expect((await events.get({ name: 'a' })).note).toBe(note);
  });

  it('lists over pages, with kind and apiVersion', async () => {
    const events = client();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await events.create(event(name));
    const names: unknown[] = [];
    for await (const { kind, apiVersion, metadata } of events.list({ pageSize: 2 }))
      names.push([kind, apiVersion, metadata.name]);
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => ['Event', 'events.example.com/v1', name]));
    expect(await events.list({ pageSize: 2, fieldSelector: 'metadata.name=c' }).toArray()).toHaveLength(1);
  });

  it('follows the changes with a watch', async () => {
    const events = client();
    await events.create(event('a'));
    const seen: unknown[] = [];
    for await (const { type, object } of events.watch({ sendInitialEvents: true })) {
      seen.push([type, object.metadata.name]);
      if (type === 'BOOKMARK') await events.delete({ name: 'a' });
      if (type === 'DELETED') break;
    }
    expect(seen).toEqual([
      ['ADDED', 'a'],
      ['BOOKMARK', undefined],
      ['DELETED', 'a'],
    ]);
  });

  // JavaScript has no compiler that refuses these.
  type Call = (events: Record<string, (...args: readonly unknown[]) => unknown>) => unknown;
  it.each<[string, Call, RegExp]>([
    ['get without an event', (events) => events['get']?.(), /^give the event: \{ namespace, name \}$/],
    ['get without a name', (events) => events['get']?.({}), /^the name must be a non-empty string/],
    ['create without an event', (events) => events['create']?.(), /^give an event with its metadata/],
    ['update without metadata', (events) => events['update']?.({}), /^give an event with its metadata/],
    ['update without a name', (events) => events['update']?.({ metadata: {} }), /^the name must be a non-empty string/],
    ['patch without a change', (events) => events['patch']?.({ name: 'a' }), /^give the change: /],
    ['patch with nothing', (events) => events['patch']?.({ name: 'a' }, { type: 'merge' }), /^give the change: /],
    ['delete with a name alone', (events) => events['delete']?.('a'), /^give the event: /],
    [
      'deleteCollection without a selection',
      (events) => events['deleteCollection']?.(),
      /^deleteCollection: the options/,
    ],
    ['list of null', (events) => events['list']?.(null), /^list: the options must be an object$/],
    ['watch of null', (events) => events['watch']?.(null), /^watch: the options must be an object$/],
    [
      'deleteCollection with a misspelled selector',
      (events) => events['deleteCollection']?.({ fieldSelectr: 'type=Normal' }),
      /^deleteCollection: there is no option "fieldSelectr" \(did you mean "fieldSelector"\?\)/,
    ],
    [
      'delete with several wrong options',
      (events) => events['delete']?.({ name: 'a' }, { dryrun: true, uid: '' }),
      /^delete: uid must be a non-empty string; .*dryrun/,
    ],
    ['get with a wrong option', (events) => events['get']?.({ name: 'a' }, { resourceVersion: 1 }), /^get: resourceV/],
    [
      'create with a wrong option',
      (events) => events['create']?.({ metadata: { name: 'a' } }, { fieldValidation: 'strict' }),
      /^create: fieldValidation must be 'Ignore' or 'Warn' or 'Strict'$/,
    ],
    [
      'update with a wrong option',
      (events) => events['update']?.({ metadata: { name: 'a' } }, { dryRun: 'All' }),
      /^update: dryRun must be true or false$/,
    ],
    [
      'patch with a wrong option',
      (events) => events['patch']?.({ name: 'a' }, { type: 'merge', patch: {} }, { timeoutMs: 0 }),
      /^patch: timeoutMs must be a number above 0$/,
    ],
    ['list with a wrong option', (events) => events['list']?.({ limit: 1 }), /^list: there is no option "limit"/],
    ['watch with a wrong option', (events) => events['watch']?.({ timeoutSeconds: -1 }), /^watch: timeoutSeconds/],
  ])('refuses %s with a TypeError that names the expected argument, and sends nothing', async (_, call, message) => {
    const transport = (): never => {
      throw new Error('a request was sent');
    };
    const events = createEventsClient({ transport, namespace: 'default' });
    const called = async (): Promise<unknown> => call(events as unknown as Parameters<Call>[0]);
    await expect(called()).rejects.toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(message) as string,
    });
  });

  it('sends its options with each request', async () => {
    const stored = json(200, { ...event('a') });
    const key = { name: 'a', namespace: 'shop' };
    const write = { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' } as const;
    const query = 'dryRun=All&fieldManager=me&fieldValidation=Strict';
    const selection = { namespace: null, fieldSelector: 'type=Normal', labelSelector: 'a=b' };
    const selected = 'fieldSelector=type%3DNormal&labelSelector=a%3Db';
    const { client: events, asked } = scriptedClient(Array.from({ length: 9 }, () => stored));
    await events.get(key, { resourceVersion: '7' });
    await events.create(event('a', { metadata: key }), write);
    await events.update(event('a', { metadata: key }), write);
    await events.patch(key, { type: 'merge', patch: { note: 'x' } }, write);
    const patch = { metadata: { name: 'given', labels: {} }, note: 'x' };
    await events.patch(key, { type: 'apply', patch, force: true }, { dryRun: false });
    await events.delete(key, { dryRun: true, uid: 'u', resourceVersion: '7' });
    await events.delete(key);
    await events.deleteCollection({ ...selection, dryRun: true });
    await events.update(event('a', { metadata: { name: 'a' } }));
    const [all, shop] = ['/apis/events.example.com/v1/events', '/apis/events.example.com/v1/namespaces/shop/events'];
    expect(asked.map(({ line }) => line)).toEqual([
      `GET ${shop}/a?resourceVersion=7`,
      `POST ${shop}?${query}`,
      `PUT ${shop}/a?${query}`,
      `PATCH ${shop}/a?${query}`,
      `PATCH ${shop}/a?fieldManager=kube-vitals&force=true`,
      `DELETE ${shop}/a?dryRun=All`,
      `DELETE ${shop}/a`,
      `DELETE ${all}?dryRun=All&${selected}`,
      'PUT /apis/events.example.com/v1/namespaces/default/events/a?fieldManager=kube-vitals',
    ]);
    expect(asked[4]?.body).toEqual({ kind: 'Event', apiVersion: 'events.example.com/v1', ...patch });
    expect(asked[5]?.body).toMatchObject({ preconditions: { uid: 'u', resourceVersion: '7' } });
    expect(asked[6]?.body).toBeUndefined();
  });

  it('does not look for an event that a dry run has not stored', async () => {
    const { client: events, asked } = scriptedClient([refused(504, 'Timeout'), refused(409, 'AlreadyExists')]);
    await expect(events.create(event('a'), { dryRun: true })).rejects.toSatisfy(isAlreadyExists);
    expect(asked).toHaveLength(2);
  });

  it.each([undefined, { name: 'jane', groups: ['shop'] }])('is the caller %o of a server in its process', (caller) => {
    const callers: unknown[] = [];
    const as = (given: unknown): ApiHandler => {
      callers.push(given);
      return () => undefined;
    };
    createEventsClient({ events: { group: 'events.example.com', as }, caller });
    expect(callers).toEqual([caller ?? { name: 'kube-vitals-client' }]);
  });

  it('rejects with what the server refuses', async () => {
    const events = client();
    await events.create(event('a'));
    await expect(events.create(event('a'))).rejects.toSatisfy(isAlreadyExists);
    await expect(events.create(event('b', { reason: '' }))).rejects.toSatisfy(isInvalid);
    const stale = event('a', { metadata: { name: 'a', resourceVersion: '1' } });
    await expect(events.update(stale)).rejects.toSatisfy(isConflict);
  });
});
