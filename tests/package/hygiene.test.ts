import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { manifest } from './package-entries.js';
import { filesBelow, readSources, root } from './source-files.js';

/** Files of the repository that are text written by hand; the recorded corpus is evidence and stays as it was recorded. */
function writtenFiles(): string[] {
  const folders = ['src', 'tests', 'examples', 'docs', 'scripts', 'bench'].filter((name) =>
    existsSync(join(root, name)),
  );
  const top = ['README.md', 'CHANGELOG.md', 'package.json', 'tsup.config.ts', 'vitest.config.ts', '.ci/run'];
  return [...folders.flatMap((folder) => filesBelow(folder).map((path) => `${folder}/${path}`)), ...top].filter(
    (path) =>
      existsSync(join(root, path)) &&
      !path.startsWith('tests/conformance/corpus/') &&
      !path.includes('node_modules/') &&
      /\.(ts|js|mjs|cjs|json|md|yaml|yml)$|\/run$/.test(path),
  );
}

/** `path:line` of each match. */
function matches(paths: readonly string[], pattern: RegExp): string[] {
  return paths.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

const sources = readSources();
const published = sources.map((file) => `src/${file.path}`);
const self = 'tests/package/hygiene.test.ts';

describe('package-lock.json', () => {
  it('has the integrity of every package, so that `npm ci` installs nothing it cannot verify', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly link?: boolean; readonly integrity?: string }>>;
    };
    const unverified = Object.entries(packages).filter(
      ([where, { link, integrity }]) => where !== '' && link !== true && !/^sha512-/.test(integrity ?? ''),
    );
    expect(Object.keys(packages).length).toBeGreaterThan(500);
    expect(unverified.map(([where]) => where)).toEqual([]);
  });
});

describe('the published code', () => {
  it('writes nothing to the console', () => {
    expect(matches(published, /\bconsole(\.(?!$|\s)|\?\.|\[)/)).toEqual([]);
  });

  it('silences no compiler and has no `any`', () => {
    expect(matches(published, /@ts-(ignore|nocheck|expect-error)|eslint-disable(?!-next-line)/)).toEqual([]);
    const anys = sources.flatMap(({ path, syntax }) => {
      const found: string[] = [];
      const visit = (node: ts.Node): void => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) {
          found.push(`src/${path}:${syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
        }
        ts.forEachChild(node, visit);
      };
      visit(syntax);
      return found;
    });
    expect(anys).toEqual([]);
  });

  it('recognises its own errors by brand, never by class', () => {
    expect(matches(published, /instanceof\s+(StoreError|StatusError|BodyError|EventStore|MemoryStore)\b/)).toEqual([]);
  });
});

/** Tests that never run, that stand alone, or whose failure is tried again. */
const SKIPPED =
  /(?<!watcher)\.(skip|todo|only|fails)\b(?!:)|\b(xit|xtest|xdescribe|fit|fdescribe)\(|\b(skip|todo|only|fails):\s*true|\bretry:\s*[\d{]|--retry\b/;

/** Tests that run only where something is so. */
const CONDITIONAL = /\.(skipIf|runIf)\b|(?<![\w.])skip\(|(?<!watcher)\.skip\((?!['"`])/;

describe('the repository', () => {
  const written = writtenFiles().filter((path) => path !== self);
  const tests = written.filter(
    (path) =>
      path.endsWith('.test.ts') || path.startsWith('tests/') || /^(package\.json|vitest\.config\.ts)$/.test(path),
  );

  it('names no path of one machine', () => {
    expect(matches(written, /(?<![\w.])\/(work|home|root|Users)\/[a-z]/)).toEqual([]);
  });

  it('leaves no note to do something later', () => {
    expect(matches(written, /(\/\/|\*|#|<!--)\s*(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  it('skips no test and retries none', () => {
    expect(matches(tests, SKIPPED)).toEqual([]);
  });

  it('skips on a condition only tests that need a program which may not be installed', () => {
    const besideEngines = tests.filter((path) => !/^tests\/(engines|clients)\//.test(path));
    expect(matches(besideEngines, CONDITIONAL)).toEqual([]);
    // The rule would be empty if these two projects ran with the others.
    const { scripts } = manifest as unknown as { readonly scripts: Readonly<Record<string, string>> };
    expect(scripts['test']).not.toMatch(/--project (engines|clients)\b/);
  });

  it.each([
    'it.skip(name, run)',
    'test.skip.each([1])(name, run)',
    'describe.concurrent.skip(name, run)',
    'it.only(name, run)',
    'it.todo(name)',
    'test.fails(name, run)',
    'xit(name, run)',
    'xdescribe(name, run)',
    'fit(name, run)',
    'it(name, { skip: true }, run)',
    'it(name, { retry: 2 }, run)',
    'test: { retry: 1 }',
    'vitest run --retry=2',
  ])('sees that `%s` skips or retries', (line) => {
    expect(line).toMatch(SKIPPED);
  });

  it.each([
    'describe.skipIf(absent)(name, run)',
    'it.runIf(present)(name, run)',
    '  .skipIf(absent)',
    'if (absent) context.skip();',
    'it(name, ({ skip }) => skip())',
  ])('sees that `%s` skips on a condition', (line) => {
    expect(line).toMatch(CONDITIONAL);
  });

  it('takes what is random in tests from the seed that the run prints', () => {
    const tests = written.filter((path) => /^tests\/.*\.ts$/.test(path));
    expect(tests.length).toBeGreaterThan(200);
    expect(matches(tests, /\bMath\.random\(/)).toEqual([]);
  });

  it('pins the address of no registry in its lock file but the public one', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string }>;
    };
    const hosts = new Set(
      Object.values(lock.packages).flatMap(({ resolved }) => (resolved ? [new URL(resolved).host] : [])),
    );
    expect([...hosts].filter((host) => host !== 'registry.npmjs.org')).toEqual([]);
  });

  it('carries the licence that package.json names', () => {
    expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toContain('Apache License');
    expect((manifest as unknown as { license: string }).license).toBe('Apache-2.0');
  });

  it('has the current version in its changelog', () => {
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toMatch(new RegExp(`^## \\[(Unreleased|${manifest.version.replaceAll('.', '\\.')})\\]`, 'm'));
  });

  it('commits no build output', () => {
    if (!existsSync(join(root, '.git'))) return;
    const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
    expect(tracked.filter((path) => /^(dist|coverage|node_modules|\.nodes|\.data)\//.test(path))).toEqual([]);
  });
});
