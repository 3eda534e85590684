import { dirname } from 'node:path/posix';
import ts from 'typescript';
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

/** Where a file reads a property called `list` of anything but a representation, which is how a store is listed. */
function listReads({ path, syntax }: SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isRead =
      (ts.isPropertyAccessExpression(node) &&
        node.name.text === 'list' &&
        node.expression.getText() !== 'representation') ||
      (ts.isBindingElement(node) && (node.propertyName ?? node.name).getText() === 'list');
    if (isRead) found.push(`${path}:${syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}

/** The files from which a file imports the functions of its table `VERBS`. */
function verbFiles({ path, syntax }: SourceFile): Set<string> {
  const verbs = new Set<string>();
  const origins = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'VERBS' && node.initializer) {
      for (const each of (node.initializer as ts.ObjectLiteralExpression).properties) {
        verbs.add(ts.isPropertyAssignment(each) ? each.initializer.getText() : each.getText());
      }
    } else if (ts.isImportSpecifier(node)) {
      const { moduleSpecifier } = node.parent.parent.parent;
      origins.set(node.name.text, resolveImport(path, (moduleSpecifier as ts.StringLiteral).text) ?? '');
    }
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return new Set([...verbs].map((verb) => origins.get(verb) ?? `${verb} is not imported`));
}

/** The files that import each file of `files`, types included. */
function importersOf(files: readonly SourceFile[]): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    for (const { specifier } of imports) {
      const target = resolveImport(path, specifier);
      if (target !== undefined) importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  }
  return importers;
}

/** The files that could be part of the only file that imports them: they have few lines and export only their own. */
function mergeable(files: readonly SourceFile[]): string[] {
  const importers = importersOf(files);
  return files
    .filter(({ imports }) => !imports.some(({ kind }) => kind === 're-export'))
    .filter(({ path, text }) => text.trimEnd().split('\n').length < MERGEABLE_LINES && importers.get(path)?.size === 1)
    .map(({ path }) => path);
}

const MERGEABLE_LINES = 30;

/** Small files with one importer that stay separate, with the reason. */
const SEAMS: Readonly<Record<string, string>> = {
  'bridge/node/retain-tick-object.ts': 'a workaround for one behaviour of V8, described and tested on its own',
  'cli/main.ts': 'loaded with `import()`, so that a probe loads only one file',
  'cli/serve/metrics.ts': 'the metrics of the server, tested without starting one',
  'cli/serve/serve-command.ts': 'the definition of a command, which loads the server only when it runs',
  'client/transport/http/connection-limit.ts': 'the queue for connections, tested without any',
  'events/reading/list-events.ts': 'each verb has its own file',
  'events/reading/watch-events.ts': 'each verb has its own file',
  'events/writing/delete-event.ts': 'each verb has its own file',
  'health/run-context.ts': 'the context of one run, tested on its own, beside the longest file of the room',
  'http/media-type.ts': 'one function of Go, tested with what that returns',
  'observe/is-probe.ts': 'a public function, which its entry only re-exports',
};

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

describe('files of src/events/', () => {
  const files = sources.filter(({ path }) => path.startsWith('events/'));

  it('read lists of the store, as records or as JSON, only in listing/read-pages.ts', () => {
    const reading = files.filter((file) => listReads(file).length > 0);
    expect(
      reading.flatMap((file) => (file.path === 'events/listing/read-pages.ts' ? file.path : listReads(file))),
    ).toEqual(['events/listing/read-pages.ts']);
  });

  it('import the files of the verbs only in pipeline/dispatch.ts', () => {
    const dispatch = files.find(({ path }) => path === 'events/pipeline/dispatch.ts') as SourceFile;
    const verbs = verbFiles(dispatch);
    expect([...verbs].filter((path) => !paths.has(path))).toEqual([]);
    const importers = importersOf(files);
    expect(
      [...verbs].flatMap((path) => [...(importers.get(path) ?? [])].map((from) => `${from} imports ${path}`)),
    ).toEqual([...verbs].map((path) => `events/pipeline/dispatch.ts imports ${path}`));
  });

  it.each([
    ['a call', 'await store.list(query);'],
    ['a call for JSON', 'call.dependencies.store.list.json?.(query);'],
    ['a function passed on', 'settle(query, store.list);'],
    ['a part of a store', 'const { list } = call.dependencies.store;'],
    ['a part of a store under another name', 'const { list: read } = store;'],
    ['a parameter', 'export const read = ({ list }: EventStore) => list(query);'],
  ])('count %s as a read of a list', (_, text) => {
    expect(listReads(parseSource('events/a.ts', text))).toEqual(['events/a.ts:1']);
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

  it('are part of the only file that imports them if they have fewer than 30 lines, unless SEAMS has a reason', () => {
    expect(mergeable(sources).sort()).toEqual(Object.keys(SEAMS).sort());
  });

  it('are entries of named re-exports only, if they are not in a folder', () => {
    const others = sources
      .filter(({ path }) => !path.includes('/'))
      .flatMap(({ path, syntax }) =>
        syntax.statements
          .filter((each) => !(ts.isExportDeclaration(each) && each.moduleSpecifier && each.exportClause))
          .map((each) => `${path}: ${each.getText(syntax).split('\n')[0] ?? ''}`),
      );
    expect(others).toEqual([]);
  });

  it('have at most 400 lines each', () => {
    expect(sources.filter(({ text }) => text.split('\n').length > 400).map(({ path }) => path)).toEqual([]);
  });
});
