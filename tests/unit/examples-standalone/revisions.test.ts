import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setRevisionsAside } from '../../../examples/standalone/revisions.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';

const file = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), 'revisions-')), 'revisions');

test('the first run counts from the beginning, the next above everything the first may have used', async () => {
  const path = await file();
  const first = await setRevisionsAside(path);
  const second = await setRevisionsAside(path);
  expect(first.startAt).toBe(0);
  expect(second.startAt).toBe(Number(await readFile(path, 'utf8')) - second.startAt);
  expect(second.startAt).toBeGreaterThan(1_000_000);
});

test('a store begins right above what was set aside', async () => {
  const path = await file();
  await setRevisionsAside(path);
  const { startAt } = await setRevisionsAside(path);
  const store = memoryStore({ startAt });
  expect(await store.revision()).toBe(startAt);
  await store.close();
});

test('a file that holds no number is an error that says what to do', async () => {
  const path = await file();
  await writeFile(path, 'many');
  await expect(setRevisionsAside(path)).rejects.toThrow(/should hold a number; delete it/);
});
