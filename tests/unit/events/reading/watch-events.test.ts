import { describe, expect, test } from 'vitest';
import { bench, metaOf, path, ROOT, type Frame } from '../bench.js';

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
