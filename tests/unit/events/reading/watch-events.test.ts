import { describe, expect, test } from 'vitest';
import { bench, metaOf, path, ROOT, settled, type Frame } from '../bench.js';

describe('a watch by an old path', () => {
  const LEGACY = `GET ${ROOT}/watch/namespaces/default/events`;

  test('begins with all existing events without a resourceVersion', async () => {
    const { ask, create } = bench();
    await create('a');
    for await (const { type, object } of (await ask(LEGACY)).frames<Frame>()) {
      expect([type, metaOf(object)['name']]).toEqual(['ADDED', 'a']);
      break;
    }
  });

  test('has no bookmark after the existing events, because its options are those of a list', async () => {
    const { ask, create } = bench();
    await create('a');
    const names: unknown[] = [];
    for await (const { object } of (await ask(`${LEGACY}?allowWatchBookmarks=true`)).frames<Frame>()) {
      names.push(metaOf(object)['name']);
      if (names.length === 2) break;
      await create('b');
    }
    expect(names).toEqual(['a', 'b']);
  });

  test('refuses a resourceVersion that is not a number with the text of a watch', async () => {
    const { json } = bench();
    expect(await json(`${LEGACY}?resourceVersion=x`)).toMatchObject({
      status: 400,
      json: { message: expect.stringMatching(/^resourceVersion: Invalid value: "x": /) as string },
    });
  });
});

test('a watch has the header that makes nginx pass on each frame, and a list has not', async () => {
  const { ask, create } = bench();
  await create('a');
  const watch = await ask(`GET ${path('?watch=true')}`);
  const list = await ask(`GET ${path()}`);
  expect([watch, list].map(({ headers }) => headers['x-accel-buffering'])).toEqual(['no', undefined]);
});

describe('a watch of an event with characters beyond ASCII', () => {
  const NOTE = 'größer → 😀';

  /** The text of an existing event and of one that is created during the watch. */
  async function watched(headers: Record<string, string>): Promise<string> {
    const { events, create } = bench();
    await create('a', { note: NOTE });
    const response = await events.handle({ method: 'GET', url: path('?watch=true'), headers });
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response?.body as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      if (text.split('\n').length > 2) break;
      await create('b', { note: NOTE });
    }
    return text;
  }
  const notes = (text: string): unknown[] =>
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Frame).object['note']);

  test('is ASCII for fabric8, whose reader adds NUL characters to other chunks', async () => {
    const text = await watched({ 'user-agent': 'fabric8-kubernetes-client/8.0.0' });
    expect(text).not.toMatch(/[^ -~\n]/);
    expect(notes(text)).toEqual([NOTE, NOTE]);
  });

  test.each([
    ['another client', { 'user-agent': 'kubectl/v1.36.0' }],
    ['a client without a name', {}],
  ])('is UTF-8 for %s', async (_, headers: Record<string, string>) => {
    const text = await watched(headers);
    expect(text).toContain(NOTE);
    expect(notes(text)).toEqual([NOTE, NOTE]);
  });

  test('is encoded once for all watches of fabric8, and apart from those of others', async () => {
    const { events, create, store } = bench();
    const after = await store.revision();
    const agents = ['fabric8-kubernetes-client/8.0.0', 'kubectl/v1.36.0', 'fabric8-kubernetes-client/7.4.0'];
    const chunks = agents.map(async (agent) => {
      const url = path(`?watch=true&resourceVersion=${after}`);
      const response = await events.handle({ method: 'GET', url, headers: { 'user-agent': agent } });
      for await (const chunk of response?.body as AsyncIterable<Uint8Array>) return chunk;
      return undefined;
    });
    await settled();
    await create('a', { note: NOTE });
    const [first, other, second] = await Promise.all(chunks);
    expect(second).toBe(first);
    expect(new TextDecoder().decode(other)).toContain(NOTE);
  });

  test('is encoded for fabric8 apart from the metadata alone, and as a Table for each watch', async () => {
    const { events, create, store } = bench();
    const after = await store.revision();
    const accepts = ['PartialObjectMetadata', 'Table'].map((as) => `application/json;as=${as};g=meta.k8s.io;v=v1`);
    const kinds = ['application/json', ...accepts].map(async (accept) => {
      const url = path(`?watch=true&resourceVersion=${after}`);
      const headers = { 'user-agent': 'fabric8-kubernetes-client/8.0.0', accept };
      const response = await events.handle({ method: 'GET', url, headers });
      for await (const chunk of response?.body as AsyncIterable<Uint8Array>) {
        return (JSON.parse(new TextDecoder().decode(chunk)) as Frame).object['kind'];
      }
      return undefined;
    });
    await settled();
    await create('a', { note: NOTE });
    expect(await Promise.all(kinds)).toEqual(['Event', 'PartialObjectMetadata', 'Table']);
  });

  test('is unchanged protobuf for fabric8 with a configuration that asks for it', async () => {
    const { events, create } = bench();
    await create('a', { note: NOTE });
    const accept = 'application/vnd.kubernetes.protobuf;stream=watch';
    const agents = ['fabric8-kubernetes-client/8.0.0', 'kubectl/v1.36.0'];
    const chunks = await Promise.all(
      agents.map(async (agent) => {
        const headers = { 'user-agent': agent, accept };
        const response = await events.handle({ method: 'GET', url: path('?watch=true'), headers });
        for await (const chunk of response?.body as AsyncIterable<Uint8Array>) return chunk;
        return undefined;
      }),
    );
    expect(chunks[0]).toEqual(chunks[1]);
    expect(new TextDecoder().decode(chunks[0])).toContain(NOTE);
  });
});
