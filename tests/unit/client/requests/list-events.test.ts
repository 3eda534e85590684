import { describe, expect, it } from 'vitest';
import { isExpired } from '../../../../src/client.js';
import { scriptedClient, failureOf, json, refused } from '../scripted-client.js';

const item = (name: string, resourceVersion: number, namespace = 'default') => ({
  metadata: { name, namespace, resourceVersion: String(resourceVersion) },
});
const page = (resourceVersion: number, items: object[], next?: string) =>
  json(200, {
    kind: 'EventList',
    apiVersion: 'events.example.com/v1',
    metadata: { resourceVersion: String(resourceVersion), ...(next && { continue: next }) },
    items,
  });
const expired = refused(410, 'Expired');

const namesOf = async (events: AsyncIterable<{ metadata: { name?: string | undefined } }>): Promise<unknown[]> => {
  const names: unknown[] = [];
  for await (const { metadata } of events) names.push(metadata.name);
  return names;
};

describe('a list', () => {
  it('requests a page when its first event is needed, and a revision with the first page only', async () => {
    const { client, asked } = scriptedClient([page(9, [item('a', 1), item('b', 2)], 'x/y'), page(9, [item('c', 3)])]);
    const listing = client.list({
      pageSize: 2,
      resourceVersion: '9',
      resourceVersionMatch: 'Exact',
      labelSelector: 'a in (b, c)',
    });
    expect(asked).toEqual([]);
    expect(await namesOf(listing)).toEqual(['a', 'b', 'c']);
    const path = '/apis/events.example.com/v1/namespaces/default/events';
    expect(asked.map(({ line }) => line)).toEqual([
      `GET ${path}?limit=2&resourceVersion=9&resourceVersionMatch=Exact&labelSelector=a%20in%20(b%2C%20c)`,
      `GET ${path}?limit=2&continue=x%2Fy&labelSelector=a%20in%20(b%2C%20c)`,
    ]);
  });

  it('with the newest first has the parameter in all of its requests', async () => {
    const { client, asked } = scriptedClient([page(9, [item('c', 5), item('a', 3)], 't'), page(9, [item('b', 2)])]);
    expect(await namesOf(client.list({ order: 'newest-first', pageSize: 2 }))).toEqual(['c', 'a', 'b']);
    for (const { line } of asked) expect(line).toContain('&order=newest-first');
  });

  it.each([
    [[page(9, [item('a', 2), item('b', 3)])]],
    [[page(9, [item('a', 2)], 't'), page(9, [item('b', 3)])]],
    [[page(9, [item('a', 2), item('b', 2)])]],
  ])('with the newest first fails if the server ignores the order', async (responses) => {
    const { client } = scriptedClient(responses);
    expect((await failureOf(client.list({ order: 'newest-first' }).toArray())).message).toBe(
      'the list does not begin with the newest event: the server ignores the order',
    );
  });

  it('returns how many events are left, and accepts a page without items', async () => {
    const metadata = { resourceVersion: '9', continue: 't', remainingItemCount: 5 };
    const { client } = scriptedClient([
      json(200, { metadata, items: [item('a', 1)] }),
      json(200, { metadata: {}, items: null }),
    ]);
    const pages: unknown[] = [];
    for await (const { items, ...rest } of client.list().pages()) pages.push({ ...rest, items: items.length });
    expect(pages).toEqual([
      { resourceVersion: '9', continue: 't', remainingItemCount: 5, items: 1 },
      { resourceVersion: '', items: 0 },
    ]);
  });

  it('fails as an array when it has more than maxEvents', async () => {
    const responses = () => [page(9, [item('a', 1), item('b', 2)], 't'), page(9, [item('c', 3)])];
    expect(await scriptedClient(responses()).client.list().toArray(3)).toHaveLength(3);
    expect((await failureOf(scriptedClient(responses()).client.list().toArray(2))).message).toBe(
      'the list has more than 2 events',
    );
  });

  it.each([Number.NaN, -1])('fails without a request as an array of at most %d events', async (maxEvents) => {
    const { client, asked } = scriptedClient([]);
    expect(await failureOf(client.list().toArray(maxEvents))).toEqual(
      new TypeError('toArray: maxEvents must be a number of at least 0'),
    );
    expect(asked).toEqual([]);
  });

  it.each([
    [{ items: [] }, 'it has no metadata'],
    [{ metadata: {} }, 'its items are not an array'],
    [{ metadata: { continue: '\ud800' }, items: [] }, 'its metadata has half of a surrogate pair'],
    [{ metadata: { resourceVersion: '\udfff' }, items: [] }, 'its metadata has half of a surrogate pair'],
    [{ metadata: {}, items: [5] }, 'items[0] has no metadata of an event'],
    [{ metadata: {}, items: [{}] }, 'items[0] has no metadata of an event'],
    [
      { metadata: {}, items: [{ metadata: {} }, { metadata: { name: 'a', resourceVersion: 7 } }] },
      'items[1] has no metadata of an event',
    ],
  ])('says why the response %j is not a list of events', async (body, reason) => {
    const { client } = scriptedClient([json(200, body)]);
    const message = `the response is not a list of events: ${reason}`;
    expect(await failureOf(client.list().toArray())).toMatchObject({ name: 'ResponseError', message });
  });

  it.each([
    [['t'], 2],
    [['t', 'u', 'v'], 7],
  ])('fails where the tokens %j come again and again, although its pages have events', async (tokens, pages) => {
    let count = 0;
    const responses = Array.from({ length: 100 }, (_, at) => page(9, [item(`e${at}`, 1)], tokens[at % tokens.length]));
    const { client } = scriptedClient(responses);
    const read = async (): Promise<void> => {
      for await (const _ of client.list().pages()) count += 1;
    };
    expect(await failureOf(read())).toMatchObject({
      name: 'ResponseError',
      message: 'the server returns the same continue token again and again',
    });
    expect(count).toBe(pages);
  });

  it('is of all namespaces for null, and of that of the client otherwise', async () => {
    const { client, asked } = scriptedClient([page(1, []), page(1, []), page(1, [])]);
    for (const namespace of [null, undefined, 'other']) await client.list({ namespace }).toArray();
    expect(asked.map(({ line }) => line.replace(/\?.*/, ''))).toEqual([
      'GET /apis/events.example.com/v1/events',
      'GET /apis/events.example.com/v1/namespaces/default/events',
      'GET /apis/events.example.com/v1/namespaces/other/events',
    ]);
  });

  it('that begins again gives each version of an event once', async () => {
    const responses = [
      page(10, [item('a', 1), item('b', 2)], 't1'),
      page(10, [item('c', 3)], 't2'),
      expired,
      // b has changed, bb is new, c was removed, d was not given yet.
      page(20, [item('a', 1), item('b', 15), item('bb', 12)], 't3'),
      expired,
      page(30, [item('a', 1), item('b', 15), item('bb', 25)], 't4'),
      page(30, [item('d', 4)]),
    ];
    expect(await namesOf(scriptedClient(responses).client.list())).toEqual(['a', 'b', 'c', 'b', 'bb', 'bb', 'd']);
  });

  it('that begins again at an older revision, after a restored backup, gives everything again', async () => {
    const responses = [
      page(1000, [item('a', 900), item('c', 950)], 't1'),
      expired,
      // All of these were written after the restore, at revisions that the lost events had used too.
      page(700, [item('a', 650), item('b', 660)], 't2'),
      expired,
      page(800, [item('a', 650), item('aa', 750), item('b', 660), item('c', 500)]),
    ];
    expect(await namesOf(scriptedClient(responses).client.list())).toEqual(['a', 'c', 'a', 'b', 'aa', 'c']);
    // The order of the list before it no longer matters.
    const unordered = [page(1000, [item('b', 1), item('a', 2)], 't1'), expired, page(700, [item('a', 2)], 't2')];
    const more = [expired, page(800, [item('a', 2), item('b', 3)])];
    expect(await namesOf(scriptedClient([...unordered, ...more]).client.list())).toEqual(['b', 'a', 'a', 'b']);
  });

  it('that begins again marks the page as restarted, and is exact as an array', async () => {
    const responses = () => [
      page(10, [item('a', 1), item('b', 2)], 't1'),
      expired,
      page(20, [item('b', 15), item('d', 4)]),
    ];
    const pages: unknown[] = [];
    for await (const { items, resourceVersion, restarted } of scriptedClient(responses()).client.list().pages()) {
      pages.push([resourceVersion, restarted ?? false, items.map(({ metadata }) => metadata.name)]);
    }
    expect(pages).toEqual([
      ['10', false, ['a', 'b']],
      ['20', true, ['b', 'd']],
    ]);
    const all = await scriptedClient(responses()).client.list().toArray();
    expect(all.map(({ metadata }) => metadata.name)).toEqual(['b', 'd']);
  });

  it('compares names of several namespaces as the server orders them', async () => {
    const items = [item('z', 1, 'a-b'), item('y', 2, 'a')];
    const responses = [page(10, items, 't1'), expired, page(20, [...items, item('x', 3, 'b')])];
    expect(await namesOf(scriptedClient(responses).client.list({ namespace: null }))).toEqual(['z', 'y', 'x']);
  });

  it('that begins again fails where order and revisions do not show what was returned', async () => {
    const unordered = [page(10, [item('b', 1), item('a', 2)], 't1'), expired, page(20, [])];
    expect(await failureOf(namesOf(scriptedClient(unordered).client.list()))).toMatchObject({ name: 'ResponseError' });
    const opaque = json(200, { kind: 'EventList', metadata: { resourceVersion: 'abc' }, items: [] });
    const padded = json(200, { kind: 'EventList', metadata: { resourceVersion: '011' }, items: [] });
    const itemOfAnotherKind = { ...item('a', 1), metadata: { ...item('a', 1).metadata, resourceVersion: '0x1' } };
    for (const again of [opaque, padded, page(20, [itemOfAnotherKind])]) {
      const responses = [page(10, [item('a', 1)], 't1'), expired, again];
      expect(await failureOf(namesOf(scriptedClient(responses).client.list()))).toMatchObject({
        name: 'ResponseError',
      });
    }
  });

  it('that is refused at its beginning fails, and one that begins again too often', async () => {
    expect(await failureOf(scriptedClient([expired]).client.list().toArray())).toSatisfy(isExpired);
    const responses = Array.from({ length: 11 }, () => [page(10, [item('a', 1)], 't1'), expired]).flat();
    const { client, asked } = scriptedClient(responses);
    expect(await failureOf(client.list().toArray())).toSatisfy(isExpired);
    expect(asked).toHaveLength(22);
  });
});
