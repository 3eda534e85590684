import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import { build } from 'esbuild';
import ts from 'typescript';
import { describe, expect, it, vi } from 'vitest';
import tsup from '../../tsup.config.js';
import { built, entries, manifest } from './package-entries.js';
import { readDeclarations } from './public-declarations.js';
import { readSources, resolveImport, root } from './source-files.js';
import type { SourceFile } from './source-files.js';

const rootFiles = readSources().filter((file) => !file.path.includes('/'));
const isReExport = (statement: ts.Statement): boolean =>
  ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined;
const isEntry = (file: SourceFile): boolean => file.syntax.statements.every(isReExport);

describe('package.json exports', () => {
  it('have one file of src/ each, and each file of re-exports has its key', () => {
    const files = rootFiles.filter(isEntry).map((file) => file.path);
    expect(files.sort()).toEqual(entries.map((entry) => `${entry.base}.ts`).sort());
  });

  it('are what the build creates', () => {
    const [config] = [tsup].flat() as { entry?: Record<string, string> }[];
    // The program of the worker thread is built beside the entries, and is none. The others only split the code into
    // chunks, and the build removes them.
    const {
      'sqlite-worker': worker,
      'index-again': again,
      'recorder-again': recorder,
      'events-again': events,
      ...rest
    } = config?.entry ?? {};
    expect(rest).toEqual(Object.fromEntries(entries.map((entry) => [entry.base, `src/${entry.base}.ts`])));
    expect([worker, again]).toEqual(['src/store/sqlite/worker.ts', './src/index.ts']);
    expect([recorder, events]).toEqual(['src/client/recorder/create-recorder.ts', 'src/events/create-events.ts']);
  });

  it.each(entries)('$specifier names its own files, types first', ({ key, base }) => {
    expect(JSON.stringify(manifest.exports[key])).toBe(
      JSON.stringify({
        import: { types: `./dist/${base}.d.ts`, default: `./dist/${base}.js` },
        require: { types: `./dist/${base}.d.cts`, default: `./dist/${base}.cjs` },
      }),
    );
    for (const suffix of ['d.ts', 'js', 'd.cts', 'cjs']) built(`${base}.${suffix}`);
  });

  it('have types for resolvers that do not support exports (moduleResolution node10)', () => {
    const subPaths = entries.filter(({ key }) => key !== '.');
    const types = subPaths.map(({ key, base }) => [key.slice(2), [`./dist/${base}.d.cts`]]);
    expect(manifest.typesVersions).toEqual({ '*': Object.fromEntries(types) });
  });

  it('are the rows of the table in README.md', () => {
    const [, table = ''] = readFileSync(join(root, 'README.md'), 'utf8').split('### What to import\n');
    const rows = [
      ...table
        .split('\n#', 1)
        .join()
        .matchAll(/^\| `([^`]+)` \|/gm),
    ].map(([, specifier]) => specifier);
    expect(rows.sort()).toEqual(entries.map(({ specifier }) => specifier).sort());
  });

  it('offer package.json itself, and main and types to tools that do not support exports', () => {
    expect(manifest.exports['./package.json']).toBe('./package.json');
    expect([manifest.main, manifest.types]).toEqual(['./dist/index.cjs', './dist/index.d.cts']);
  });
});

describe('the CommonJS build', () => {
  it('has no import(), which Jest does not allow', () => {
    built('index.cjs');
    // The program is no part of the library, and is an ES module behind this file.
    const files = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.cjs') && name !== 'cli.cjs');
    expect(files.filter((name) => readFileSync(built(name), 'utf8').includes('import('))).toEqual([]);
  });

  it('starts the worker thread of the other build', () => {
    built('sqlite-worker.js');
    expect(existsSync(join(root, 'dist/sqlite-worker.cjs'))).toBe(false);
  });

  it('starts it also where a library for tests has made a global document', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'kube-vitals-'));
    vi.stubGlobal('document', { baseURI: 'http://localhost/', currentScript: null });
    try {
      const { sqliteStore } = createRequire(import.meta.url)(
        built('sqlite.cjs'),
      ) as typeof import('../../src/sqlite.js');
      const store = sqliteStore({ path: join(directory, 'events.db') });
      expect((await store.list({ limit: 1 })).records).toEqual([]);
      await store.close();
    } finally {
      vi.unstubAllGlobals();
      rmSync(directory, { recursive: true });
    }
  });
});

describe('a bundle in CommonJS', () => {
  it('gets a TypeError from sqliteStore that says what to keep external', async () => {
    const contents = `require('./dist/sqlite.js').sqliteStore({ path: '/nowhere/events.db' })`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      write: false,
      platform: 'node',
      format: 'cjs',
      external: Object.keys(manifest.peerDependencies),
      logOverride: { 'empty-import-meta': 'silent' },
    });
    const run = runInThisContext(`(require) => {${outputFiles[0]!.text}}`) as (require: NodeRequire) => void;
    expect(() => run(createRequire(import.meta.url))).toThrow(/^sqliteStore: .*keep kube-vitals external$/);
  });
});

describe('files directly in src/', () => {
  it('name what they export', () => {
    const stars = rootFiles.filter((file) =>
      file.syntax.statements.some((statement) => ts.isExportDeclaration(statement) && !statement.exportClause),
    );
    expect(stars.map((file) => file.path)).toEqual([]);
  });

  it('are entry points, or code that an entry point exports', () => {
    const reached = new Set(
      rootFiles
        .filter(isEntry)
        .flatMap((file) => file.imports.map(({ specifier }) => resolveImport(file.path, specifier))),
    );
    const stray = rootFiles.filter((file) => !isEntry(file) && !reached.has(file.path));
    expect(stray.map((file) => file.path)).toEqual([]);
  });
});

describe('what each entry exports', () => {
  it('is unchanged: values and types', async () => {
    const { names } = readDeclarations();
    const record: Record<string, { values: string[]; types: string[] }> = {};
    for (const { specifier } of entries) {
      const named = (flag: ts.SymbolFlags): string[] =>
        names
          .filter((exported) => exported.specifier === specifier && exported.symbol.flags & flag)
          .map(({ name }) => name)
          .sort();
      record[specifier] = { values: named(ts.SymbolFlags.Value), types: named(ts.SymbolFlags.Type) };
    }
    await expect(`${JSON.stringify(record, null, 2)}\n`).toMatchFileSnapshot('exports.snap.json');

    for (const { base, specifier } of entries) {
      const module = (await import(/* @vite-ignore */ pathToFileURL(built(`${base}.js`)).href)) as object;
      expect(Object.keys(module).sort(), `${specifier}, ESM`).toEqual(record[specifier]?.values);
      const required = createRequire(import.meta.url)(built(`${base}.cjs`)) as object;
      expect(Object.keys(required).sort(), `${specifier}, CommonJS`).toEqual(record[specifier]?.values);
    }
  });
});

/** The files of the build that an import of this one loads, itself included. */
function filesLoadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const imports = readFileSync(built(file), 'utf8').matchAll(/^(?:import|export)\b[^;]*?['"]\.\/([^'"]+)['"];/gm);
  for (const [, imported = ''] of imports) filesLoadedBy(imported, loaded);
  return loaded;
}

describe('importing', () => {
  it('loads few files, because each takes Node 0.4 ms', () => {
    const counts = entries.map(({ base, specifier }) => [specifier, filesLoadedBy(`${base}.js`).size] as const);
    expect(counts.filter(([specifier, count]) => count > (specifier === manifest.name ? 20 : 8))).toEqual([]);
  });

  it('has no side effects: no name of ours is added to globalThis', async () => {
    const names = (): PropertyKey[] => Reflect.ownKeys(globalThis);
    const before = names();
    for (const { base } of entries) {
      await import(/* @vite-ignore */ `${pathToFileURL(built(`${base}.js`)).href}?again`);
    }
    expect(names()).toEqual(before);
  });
});
