import { dirname } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { readOpenRooms, readRoomTable, roomOf } from './room-table.js';
import { parseSource, readSources, resolveImport } from './source-files.js';
import type { Room } from './room-table.js';
import type { SourceFile } from './source-files.js';

const rooms = readRoomTable();
const open = readOpenRooms();
const sources = readSources();
const paths = new Set(sources.map((file) => file.path));

/** The files that are loaded with an entry; the others wait for an `import()`. */
const eager = new Set<string>();
function addEager(path: string): void {
  const file = sources.find((one) => one.path === path);
  if (!file || eager.has(path)) return;
  eager.add(path);
  for (const { specifier, kind } of file.imports) {
    if (kind === 'static' || kind === 're-export') addEager(resolveImport(path, specifier) ?? '');
  }
}
for (const { path } of sources) if (!path.includes('/')) addEager(path);

/** Every import of these files that the table does not allow, one line each. */
function violations(files: readonly SourceFile[], known: ReadonlySet<string>): string[] {
  return files.flatMap((file) => {
    const room = roomOf(rooms, file.path);
    if (!room) return [`${file.path}: its folder is not in the room table`];
    return file.imports.flatMap(({ specifier, kind, line }) => {
      const target = resolveImport(file.path, specifier);
      const fault =
        target === undefined
          ? outsideFault(file.path, room, specifier, kind)
          : insideFault(room, target, specifier, known);
      return fault === undefined ? [] : [`${file.path}:${line} imports ${specifier}: ${fault}`];
    });
  });
}

function insideFault(room: Room, target: string, specifier: string, known: ReadonlySet<string>): string | undefined {
  if (!specifier.endsWith('.js')) return 'relative imports end in .js';
  if (target.startsWith('..')) return 'outside src/';
  if (!known.has(target)) return 'no such file';
  const targetRoom = roomOf(rooms, target);
  if (!targetRoom) return 'its folder is not in the room table';
  if (targetRoom === room || open.includes(targetRoom.name) || room.inside === 'everything') return undefined;
  const allowed = room.inside.some((name) => {
    if (name === '' || name.endsWith('.ts')) return name === '' ? targetRoom.name === '' : target === name;
    const folder = name.endsWith('/') ? name : `${name}/`;
    // The name of a room does not open the rooms inside it: `store/` is the contract, not the engines.
    return target.startsWith(folder) && (targetRoom.name === folder || folder.startsWith(targetRoom.name));
  });
  return allowed ? undefined : `${room.name || 'entries'} may not import ${targetRoom.name || 'entries'}`;
}

function outsideFault(path: string, room: Room, specifier: string, kind: string): string | undefined {
  const rule = room.outside.find(
    ({ name }) =>
      name === specifier || specifier.startsWith(`${name}/`) || (name === 'node:*' && specifier.startsWith('node:')),
  );
  if (!rule) return `${room.name || 'entries'} may not import it`;
  if (!path.startsWith(rule.within)) return `allowed in ${rule.within} only`;
  if (rule.lazy && kind !== 'dynamic' && kind !== 'type' && eager.has(path)) {
    return 'allowed through import(), or in a file that is loaded by one';
  }
  return undefined;
}

/** One cycle of the graph, as the list of its members, or undefined. */
function findCycle(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const finished = new Set<string>();
  const trail: string[] = [];
  const walk = (node: string): string[] | undefined => {
    if (finished.has(node)) return undefined;
    const start = trail.indexOf(node);
    if (start >= 0) return [...trail.slice(start), node];
    trail.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = walk(next);
      if (cycle) return cycle;
    }
    trail.pop();
    finished.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = walk(node);
    if (cycle) return cycle;
  }
  return undefined;
}

/** The imports among the files that `within` accepts. */
function graphOf(
  name: (path: string) => string,
  runtimeOnly: boolean,
  within: (path: string) => boolean = () => true,
): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const file of sources.filter(({ path }) => within(path))) {
    const from = name(file.path);
    const targets = graph.get(from) ?? new Set<string>();
    graph.set(from, targets);
    for (const { specifier, kind } of file.imports) {
      const target = resolveImport(file.path, specifier);
      if (target === undefined || !within(target) || (runtimeOnly && kind === 'type')) continue;
      if (name(target) !== from || runtimeOnly) targets.add(name(target));
    }
  }
  return graph;
}

describe('rooms', () => {
  it('are all in the table, and the table names no room without files', () => {
    const used = new Set(sources.map((file) => roomOf(rooms, file.path)?.name ?? `unknown: ${file.path}`));
    expect([...used].sort()).toEqual(rooms.map((room) => room.name).sort());
  });

  it('import only what the table of docs/architecture.md allows', () => {
    expect(violations(sources, paths)).toEqual([]);
  });

  it('form no cycle, types included', () => {
    expect(findCycle(graphOf((path) => roomOf(rooms, path)?.name ?? path, false))).toBeUndefined();
  });

  it.each(rooms.map(({ name }) => name))('%s has no cycle between its folders, types included', (name) => {
    const folders = graphOf(
      (path) => dirname(path),
      false,
      (path) => roomOf(rooms, path)?.name === name && `${dirname(path)}/` !== name,
    );
    expect(findCycle(folders)).toBeUndefined();
  });

  it.each(rooms.map(({ name }) => name))('%s has no file that imports from an enclosing folder of it', (name) => {
    const upward = sources
      .filter(({ path }) => name !== '' && roomOf(rooms, path)?.name === name)
      .flatMap(({ path, imports }) =>
        imports
          .map(({ specifier }) => resolveImport(path, specifier) ?? path)
          .filter((target) => roomOf(rooms, target)?.name === name && dirname(path).startsWith(`${dirname(target)}/`))
          .map((target) => `${path} imports ${target}`),
      );
    expect(upward).toEqual([]);
  });

  it('have no cycle between files at run time', () => {
    expect(findCycle(graphOf((path) => path, true))).toBeUndefined();
  });
});

describe('the check itself', () => {
  const faults = (path: string, text: string): number =>
    violations(
      [parseSource(path, text)],
      new Set([...paths, 'zzz/x.ts', 'events/x.ts', 'store/memory/x.ts', 'http/x.ts']),
    ).length;

  it.each([
    ['an upper room', 'http/a.ts', `import { x } from '../events/x.js';`],
    ['a type of an upper room', 'http/a.ts', `import type { X } from '../events/x.js';`],
    ['an inline type import', 'http/a.ts', `export type Y = import('../events/x.js').X;`],
    ['a lazily loaded upper room', 'http/a.ts', `export const f = () => import('../events/x.js');`],
    ['a re-export of an upper room', 'http/a.ts', `export { x } from '../events/x.js';`],
    ['an engine', 'events/a.ts', `import { x } from '../store/memory/x.js';`],
    ['a folder without a row', 'zzz/a.ts', `export const x = 1;`],
    ['an import from a folder without a row', 'http/a.ts', `import { x } from '../zzz/x.js';`],
    ['a package the room may not have', 'http/a.ts', `import { parse } from 'yaml';`],
    ['a built-in the room may not have', 'health/a.ts', `import { join } from 'node:path';`],
    ['a lazy one imported eagerly', 'http/compression.ts', `import { gzip } from 'node:zlib';`],
    ['a computed import', 'http/a.ts', `export const f = (name: string) => import(name);`],
    ['a path without its ending', 'http/a.ts', `import { x } from './x';`],
    ['a path out of src/', 'http/a.ts', `import { x } from '../../tests/x.js';`],
  ])('refuses an import of %s', (_, path, text) => {
    expect(faults(path, text)).toBe(1);
  });

  it.each([
    ['its own room', 'events/a.ts', `import { x } from './x.js';`],
    ['a lower room', 'events/a.ts', `import { x } from '../http/x.js';`],
    ['a lazy package by a file loaded lazily', 'api/yaml/yaml.ts', `import { LineCounter } from 'yaml';`],
    ['a lazy built-in loaded lazily', 'http/compression.ts', `export const f = () => import('node:zlib');`],
  ])('accepts an import of %s', (_, path, text) => {
    expect(faults(path, text)).toBe(0);
  });
});

describe('files of src/', () => {
  const parts = sources.map((file) => ({ path: file.path, names: file.path.replace(/\.ts$/, '').split('/') }));

  it('are named in kebab-case', () => {
    const bad = parts.filter(({ names }) => !names.every((name) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)));
    expect(bad.map(({ path }) => path)).toEqual([]);
  });

  it('have no catch-all name such as utils or common, nor a folder of that name', () => {
    const bags = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'shared', 'types']);
    expect(parts.filter(({ names }) => names.some((name) => bags.has(name))).map(({ path }) => path)).toEqual([]);
  });

  it('have at most 400 lines each', () => {
    expect(sources.filter(({ text }) => text.split('\n').length > 400).map(({ path }) => path)).toEqual([]);
  });
});
