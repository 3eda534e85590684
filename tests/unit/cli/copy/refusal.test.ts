import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyRefusal } from '../../../../src/cli/copy/copy.js';
import { parseStoreUrl } from '../../../../src/cli/stores/store-url.js';

const refusal = (from: string, to: string): string | undefined => copyRefusal(parseStoreUrl(from), parseStoreUrl(to));

it('copy recognises a file under any of its names', () => {
  const dir = mkdtempSync(join(tmpdir(), 'copy-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const at = (name: string): string => join(dir, name);
  writeFileSync(at('a.db'), '');
  symlinkSync(at('a.db'), at('symbolic.db'));
  linkSync(at('a.db'), at('hard.db'));
  for (const name of ['a.db', '../' + dir.split('/').at(-1) + '/a.db', 'symbolic.db', 'hard.db']) {
    expect(refusal(`sqlite:${at('a.db')}`, `sqlite:${dir}/${name}`), name).toMatch(/^FROM and TO are the same store/);
  }
  expect(refusal(`sqlite:${at('a.db')}`, `sqlite:${at('b.db')}`)).toBeUndefined();
  writeFileSync(at('b.db'), '');
  expect(refusal(`sqlite:${at('a.db')}`, `sqlite:${at('b.db')}`)).toBeUndefined();
});

it('copy does not create the file that it should read from', () => {
  expect(refusal('sqlite:/no/such/events.db', 'sqlite:/tmp/x.db')).toBe('FROM: there is no file /no/such/events.db');
});

it('copy reports why a path cannot be read', () => {
  const dir = mkdtempSync(join(tmpdir(), 'copy-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, 'a.db'), '');
  symlinkSync('loop', join(dir, 'loop'));
  const [file, loop] = [`sqlite:${join(dir, 'a.db')}`, `sqlite:${join(dir, 'loop')}`];
  expect(refusal(loop, file)).toMatch(/^ELOOP: .*loop'$/);
  expect(refusal(file, loop)).toMatch(/^ELOOP: .*loop'$/);
});

it.each([
  ['postgres://a@h/d', 'postgres://b:secret@h:5432/d'],
  ['postgres://h/d?schema=x', 'postgresql://h/d?schema=x'],
  ['postgres://h/d', 'postgres://h/d?schema=kube_vitals'],
  ['postgres:///d?host=/run/postgresql&port=5432', 'postgres:///d?host=/run/postgresql'],
  ['postgres://h:5433/d?port=5434', 'postgres://h/d?port=5434'],
  ['etcd://h:2379,i:2379/p', 'etcd://i/p/'],
])('copy refuses %s and %s, which are one store', (from, to) => {
  expect(refusal(from, to)).toMatch(/^FROM and TO are the same store/);
  expect(refusal(from, to)).not.toContain('secret');
});

it.each([
  ['postgres://h/d', 'postgres://h/e'],
  ['postgres://h/d', 'postgres://h:5433/d'],
  ['postgres://h/d', 'postgres://h/d?schema=x'],
  ['postgres:///d?host=/run/postgresql&port=5433', 'postgres:///d?host=/run/postgresql'],
  ['postgres:///d?host=/a', 'postgres:///d?host=/b'],
  ['postgres://h1/d', 'postgres://h:15432/d'],
  ['etcd://h/p', 'etcd://h/q'],
  ['etcd://h', 'postgres://h/p'],
  ['etcd://h/p', 'etcd://i/p'],
  ['postgres://h/p', 'etcd://h/p'],
  ['etcd://h/p', 'postgres://h/p'],
  [`sqlite:${import.meta.filename}`, 'postgres://h/p'],
])('copy allows %s to be copied to %s', (from, to) => {
  expect(refusal(from, to)).toBeUndefined();
});
