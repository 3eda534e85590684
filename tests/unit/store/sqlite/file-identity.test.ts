import { copyFileSync, renameSync, symlinkSync, truncateSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { createBench, failureOf, names, outcomes, put, query, START } from './sync-store-bench.js';

const { driver, newPath, open } = await createBench();

function filled(path: string) {
  const engine = open(path);
  engine.write([put('a'), put('b')], START);
  return engine;
}

test('a file that is removed while it is open is detected: writes fail, and reads still work', () => {
  const path = newPath();
  const engine = filled(path);
  unlinkSync(path);
  const [failure] = engine.write([put('c')], START);
  expect(failure).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`${path} cannot be written: it was removed while it was open`) as string,
  });
  expect(failureOf(() => engine.ping())).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('removed') as string,
  });
  expect(failureOf(() => engine.ping()).onlyWrites).toBeUndefined();
  expect(names(engine.list(query()))).toEqual(['a', 'b']);
  engine.close();
  const again = open(path);
  expect(names(again.list(query()))).toEqual([]);
  again.close();
});

test('a file that was moved away and back is used again', () => {
  const path = newPath();
  const engine = filled(path);
  renameSync(path, `${path}-away`);
  expect(outcomes(engine.write([put('c')], START))).toEqual(['unavailable']);
  renameSync(`${path}-away`, path);
  expect(outcomes(engine.write([put('d')], START))[0]).toBeTypeOf('number');
  engine.ping();
  expect(names(engine.list(query()))).toEqual(['a', 'b', 'd']);
  engine.close();
});

test('a file whose folder cannot be read is not said to be removed, and is used again when it can', () => {
  const path = newPath();
  const engine = filled(path);
  const folder = dirname(path);
  renameSync(folder, `${folder}-away`);
  // Nobody can read it, and unlike a missing permission this also holds for root.
  symlinkSync(folder, folder);
  const [failure] = engine.write([put('c')], START);
  expect(failure).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`${path} cannot be written: it cannot be looked up: ELOOP: `) as string,
  });
  unlinkSync(folder);
  renameSync(`${folder}-away`, folder);
  expect(outcomes(engine.write([put('d')], START))[0]).toBeTypeOf('number');
  engine.close();
});

test('a file that is replaced while it is open is detected', () => {
  const path = newPath();
  const engine = filled(path);
  copyFileSync(path, `${path}-copy`);
  renameSync(`${path}-copy`, path);
  expect(failureOf(() => engine.ping()).message).toMatch(/it was replaced while it was open/);
  expect(outcomes(engine.write([put('c')], START))).toEqual(['unavailable']);
  engine.close();
});

test('a removed log is detected', () => {
  const path = newPath();
  const engine = filled(path);
  engine.write([put('c')], START);
  unlinkSync(`${path}-wal`);
  expect(failureOf(() => engine.ping()).message).toMatch(/its log was removed while it was open/);
  expect(outcomes(engine.write([put('d')], START))).toEqual(['unavailable']);
  engine.close();
});

test('a file that is emptied while it is open is detected', () => {
  const path = newPath();
  const engine = filled(path);
  truncateSync(path, 0);
  expect(outcomes(engine.write([put('c')], START))).toEqual(['unavailable']);
  expect(failureOf(() => engine.ping()).message).toMatch(/it was cut off while it was open/);
  engine.close();
});

test('a file that another program writes to while it is open is detected, and is a restored one at the next start', () => {
  const path = newPath();
  const engine = filled(path);
  const shown = engine.revision();
  const other = driver.open(path);
  other.exec('UPDATE state SET latest = latest - 1');
  other.close();
  const changed = /another program changed it while it was open: stop the service/;
  expect(failureOf(() => engine.ping()).message).toMatch(changed);
  const [failure] = engine.write([put('c')], START);
  expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringMatching(changed) as string });
  expect(engine.nextDue()).toBeUndefined();
  expect(names(engine.list(query()))).toEqual(['a', 'b']);
  engine.close();
  const again = open(path);
  expect(again.revision()).toBeGreaterThan(shown + 1_000_000);
  again.close();
});
