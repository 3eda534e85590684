import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { manifest } from './package-entries.js';
import { readPages } from './markdown.js';
import { filesBelow, parseSource, readSources, root, type SourceFile } from './source-files.js';

/** Hand-written text files of the repository. The recorded corpus is left out: it stays as it was recorded. */
function writtenFiles(): string[] {
  const folders = ['src', 'tests', 'examples', 'docs', 'scripts', 'bench'].filter((name) =>
    existsSync(join(root, name)),
  );
  const top = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'package.json',
    'tsup.config.ts',
    'vitest.config.ts',
    '.ci/run',
  ];
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
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<
      Record<
        string,
        {
          readonly link?: boolean;
          readonly integrity?: string;
          readonly optional?: boolean;
          readonly engines?: { readonly node?: string };
          readonly hasInstallScript?: boolean;
        }
      >
    >;
  };

  it('has the integrity of every package, so that `npm ci` installs nothing it cannot verify', () => {
    const unverified = Object.entries(packages).filter(
      ([where, { link, integrity }]) => where !== '' && link !== true && !/^sha512-/.test(integrity ?? ''),
    );
    expect(Object.keys(packages).length).toBeGreaterThan(500);
    expect(unverified.map(([where]) => where)).toEqual([]);
  });

  it('has no package that needs a newer Node than this one does', () => {
    const floor = semver.minVersion(manifest.engines.node)?.version ?? '';
    // npm silently leaves out optional packages.
    const newer = Object.entries(packages).filter(
      ([, { engines, optional }]) => optional !== true && !semver.satisfies(floor, engines?.node ?? '*'),
    );
    expect(newer.map(([where, { engines }]) => `${where}: ${engines?.node}`)).toEqual([]);
  });

  it('has no install script that package.json neither allows nor denies', () => {
    const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = scripts.map(([where]) => where.slice(where.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect(Object.keys(manifest.allowScripts)).toEqual([...new Set(names)].sort());
  });
});

describe('package.json', () => {
  const { homepage, repository, bugs } = manifest;

  it('has repository, homepage and bugs on the same GitHub repository', () => {
    const [, address] = /^git\+(https:\/\/github\.com\/[\w-]+\/[\w-]+)\.git$/.exec(repository.url) ?? [];
    expect({ type: repository.type, homepage, bugs }).toEqual({
      type: 'git',
      homepage: `${address}#readme`,
      bugs: `${address}/issues`,
    });
  });

  it('takes compatible newer versions of every dependency, so that security fixes reach services', () => {
    const dependencies = Object.entries(manifest.dependencies);
    expect(dependencies.length).toBeGreaterThan(0);
    expect(dependencies.filter(([, range]) => !/^\^\d/.test(range))).toEqual([]);
  });

  it('has in `npm test` exactly the projects that need no other server, and builds before them', () => {
    const { test = '' } = (manifest as unknown as { readonly scripts: Readonly<Record<string, string>> }).scripts;
    expect(test).toMatch(/^npm run build && vitest run (--\S+( (?!-)\S+)? ?)+$/);
    expect([...test.matchAll(/--project[ =](\S+)/g)].map(([, name]) => name).sort()).toEqual(
      ['unit', 'conformance', 'lifecycle', 'package'].sort(),
    );
  });

  it('has in `npm test` the replay of the exchanges that were recorded from kube-apiserver', () => {
    const replays = filesBelow('tests/conformance').filter((path) => {
      if (!path.endsWith('.test.ts')) return false;
      const text = readFileSync(join(root, 'tests/conformance', path), 'utf8');
      return (
        /\bcorpus\.json\b/.test(text) &&
        /\brunScenario\(/.test(text) &&
        /\btest\.concurrent\.each\(recorded\.map\(/.test(text)
      );
    });
    expect(replays).toEqual(['corpus.test.ts']);
  });

  it('has its own TypeScript behind `tsc`, not one of the others that it installs', () => {
    // npm links the program of a package that is added last; `npm ci` links this one.
    expect(realpathSync(join(root, 'node_modules/.bin/tsc'))).toBe(
      realpathSync(join(root, 'node_modules/typescript/bin/tsc')),
    );
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
    expect(matches(published, /instanceof\s+(StoreError|StatusFailure|BodyError|EventStore|MemoryStore)\b/)).toEqual(
      [],
    );
  });
});

/** A test, with its titles from the outermost `describe` to its own. */
interface Titled {
  readonly where: string;
  readonly titles: readonly string[];
}

/** The text of a title, with `%s` and `${…}` as they are written; undefined for one that is computed. */
function titleText(node: ts.Expression | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : undefined;
}

/** `it` for `it(…)`, `it.each(…)(…)`, `` it.each`…`(…) `` and the like. */
function calledName(call: ts.CallExpression): string | undefined {
  let callee: ts.Expression = call.expression;
  for (;;) {
    if (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
    else if (ts.isTaggedTemplateExpression(callee)) callee = callee.tag;
    else return ts.isIdentifier(callee) ? callee.text : undefined;
  }
}

/** Every test of a file. */
function titledTests(path: string, text: string): Titled[] {
  const { syntax } = parseSource(path, text);
  const found: Titled[] = [];
  const visit = (node: ts.Node, outer: readonly string[]): void => {
    let titles = outer;
    if (ts.isCallExpression(node) && node.arguments.length > 1) {
      const name = calledName(node);
      const title = titleText(node.arguments[0]);
      const isDescribe = name?.startsWith('describe') === true;
      if (title !== undefined && (name === 'it' || name === 'test' || isDescribe)) {
        titles = [...outer, title];
        const line = syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        if (!isDescribe) found.push({ where: `${path}:${line}`, titles });
      }
    }
    ts.forEachChild(node, (child) => visit(child, titles));
  };
  visit(syntax, []);
  return found;
}

/** Whether a title is too short for a sentence: it has too few words beside the placeholders. */
function isFragment({ titles }: Pick<Titled, 'titles'>): boolean {
  const words = (text: string): number =>
    text.replace(/%[sdijo#%]|\$\{[^}]*\}|\$\w+/g, ' ').match(/[A-Za-z][\w.'’-]*/g)?.length ?? 0;
  const own = titles.at(-1) ?? '';
  return words(own) < 2 || words(titles.join(' ')) < 4;
}

/** A name that a file declares. */
interface Declared {
  readonly name: string;
  readonly where: string;
}

/** Words to which only this project gave a meaning, or which read like a translation, with the usual words. */
const PRIVATE_WORDS: Readonly<Record<string, string>> = {
  slab: 'arena',
  tenant: 'entry',
  seat: 'slot',
  postings: 'value index',
  outbox: 'response batcher',
  forgives: 'ignores, or grace period',
  forgiveness: 'grace period',
  roof: 'limit',
  corridor: 'import',
  'in waves': 'in batches',
  'the original': 'kube-apiserver',
  sleeper: 'waker',
  'opening mark': 'marker file',
  anew: 'again',
  lately: 'recently',
};

/** The private words in a text. */
function privateWords(text: string): string[] {
  return Object.keys(PRIVATE_WORDS).filter((word) => new RegExp(`\\b${word}s?\\b`, 'i').test(text));
}

/** The comments of a file, as one text. */
function commentsOf(text: string): string {
  return [...text.matchAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].map(([comment]) => comment).join('\n');
}

/** The name of a file, of a declaration or of a property, as words: `slabBytes` and `SLAB_BYTES` as `slab bytes`. */
function wordsOf(name: string): string {
  const apart = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return apart.replace(/[^A-Za-z]+/g, ' ').toLowerCase();
}

/** What a file declares: functions, variables, types, parameters, properties and the names of imports. */
function declaredNames({ path, syntax }: Pick<SourceFile, 'path' | 'syntax'>): Declared[] {
  const found: Declared[] = [];
  const visit = (node: ts.Node): void => {
    const isName = ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || ts.isStringLiteral(node);
    // `a.name` has a name too, and only reads it.
    if (isName && !ts.isPropertyAccessExpression(node.parent) && (node.parent as ts.NamedDeclaration).name === node) {
      found.push({
        name: node.text,
        where: `${path}:${syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1}`,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}

/** Tests that never run, that stand alone, or whose failure is tried again. */
const SKIPPED =
  /(?<!watcher)\.(skip|todo|only|fails)\b(?!:)|\b(xit|xtest|xdescribe|fit|fdescribe)\(|\b(skip|todo|only|fails):\s*true|\bretry:\s*[\d{]|--retry\b/;

/** Tests that run only under a condition. */
const CONDITIONAL = /\.(skipIf|runIf)\b|(?<![\w.])skip\(|(?<!watcher)\.skip\((?!['"`])/;

describe('the repository', () => {
  const written = writtenFiles().filter((path) => path !== self);
  const tests = written.filter(
    (path) =>
      path.endsWith('.test.ts') || path.startsWith('tests/') || /^(package\.json|vitest\.config\.ts)$/.test(path),
  );

  it('contains no path of one machine', () => {
    expect(matches(written, /(?<![\w.])\/(work|home|root|Users)\/[a-z]/)).toEqual([]);
  });

  it('contains no TODO comment', () => {
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
  ])('detects that `%s` skips or retries', (line) => {
    expect(line).toMatch(SKIPPED);
  });

  it.each([
    'describe.skipIf(absent)(name, run)',
    'it.runIf(present)(name, run)',
    '  .skipIf(absent)',
    'if (absent) context.skip();',
    'it(name, ({ skip }) => skip())',
  ])('detects that `%s` skips on a condition', (line) => {
    expect(line).toMatch(CONDITIONAL);
  });

  it('has no test title of fewer than two words, or four with those of its describe blocks', () => {
    const titled = tests
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => titledTests(path, readFileSync(join(root, path), 'utf8')));
    expect(titled.length).toBeGreaterThan(2000);
    expect(titled.filter(isFragment).map(({ where, titles }) => `${where} ${titles.join(' > ')}`)).toEqual([]);
  });

  it('has none of the known private words in comments, pages and titles', () => {
    const pages = readPages().map(({ path, prose }) => ({ path, text: prose.replace(/\]\([^)]*\)/g, ']') }));
    const code = written
      .filter((path) => /\.(ts|mjs)$/.test(path))
      .flatMap((path) => {
        const text = readFileSync(join(root, path), 'utf8');
        const titles = path.startsWith('tests/') ? titledTests(path, text).flatMap((test) => test.titles) : [];
        return [{ path, text: [commentsOf(text), ...titles].join('\n') }];
      });
    const faults = [...pages, ...code]
      .filter(({ path }) => path !== 'CHANGELOG.md')
      .flatMap(({ path, text }) => privateWords(text).map((word) => `${path}: ${word} (${PRIVATE_WORDS[word] ?? ''})`));
    expect(faults).toEqual([]);
  });

  it('has none of the known private words in the names that src/ declares, and in those of its files', () => {
    const files = published.map((path) => ({ name: path, where: path }));
    const names = sources.flatMap(({ path, syntax }) => declaredNames({ path: `src/${path}`, syntax }));
    expect(names.length).toBeGreaterThan(10_000);
    const faults = [...files, ...names].flatMap(({ name, where }) =>
      privateWords(wordsOf(name)).map((word) => `${where} ${name}: ${word} (${PRIVATE_WORDS[word] ?? ''})`),
    );
    expect(faults).toEqual([]);
  });

  it.each([
    [['parse', 'works'], true],
    [['E035 limit'], true],
    [['bookmarks'], true],
    [['for any text', '%s'], true],
    [['a list', 'ends with its signal'], false],
    [['for %s', 'the deadline is a minute'], false],
  ])('detects whether the titles %j are too short for a sentence', (titles, fragment) => {
    expect(isFragment({ titles })).toBe(fragment);
  });

  it('finds private words in comments and titles, apart from those in names', () => {
    const text = "/** Slabs. */\nconst slab = 1; // as the original\nit('has a roof over it', run);";
    expect(privateWords(commentsOf(text))).toEqual(['slab', 'the original']);
    expect(titledTests('x.test.ts', text).flatMap(({ titles }) => titles.flatMap(privateWords))).toEqual(['roof']);
  });

  it.each([
    ['function slabOf() {}', 'slab'],
    ['const MAX_SLABS = 1', 'slab'],
    ['const f = (HTTPTenant: number) => 1', 'tenant'],
    ['const { seat } = a', 'seat'],
    ['const { a: seat } = b', 'seat'],
    ['interface PostingsView {}', 'postings'],
    ['interface A { readonly outbox2: number }', 'outbox'],
    ['class A { #forgives = 1 }', 'forgives'],
    ['type Roof = 1', 'roof'],
    ['type A<Corridor> = 1', 'corridor'],
    ["const a = { 'seat-count': 1 }", 'seat'],
    ['enum A { Slab }', 'slab'],
    ['const runInWaves = 1', 'in waves'],
    ['const theOriginal = 1', 'the original'],
    // Words of their own, and names that are only read.
    ['const { slabbed, seating, originalUrl, proof } = a.slab', undefined],
  ])('finds in the declared names of `%s` the private word %s', (text, word) => {
    const { syntax } = parseSource('x.ts', text);
    const found = declaredNames({ path: 'x.ts', syntax }).flatMap(({ name }) => privateWords(wordsOf(name)));
    expect(found).toEqual(word === undefined ? [] : [word]);
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

  it('lists mutants as equivalent only on lines that its code still has', () => {
    const listed = JSON.parse(readFileSync(join(root, 'tests/mutation/equivalent.json'), 'utf8')) as {
      readonly file: string;
      readonly line: string;
    }[];
    const linesOf = (file: string): string[] =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .map((line) => line.trim());
    expect(listed.length).toBeGreaterThan(50);
    expect(listed.filter(({ file, line }) => !linesOf(file).includes(line))).toEqual([]);
  });

  it('carries the licence that package.json names', () => {
    expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toContain('Apache License');
    expect((manifest as unknown as { license: string }).license).toBe('Apache-2.0');
  });

  it('has the current version in its changelog', () => {
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toMatch(new RegExp(`^## \\[(Unreleased|${manifest.version.replaceAll('.', '\\.')})\\]`, 'm'));
  });

  it('commits no build output, log or profile', () => {
    if (!existsSync(join(root, '.git'))) return;
    const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
    const output =
      /^(dist|coverage|node_modules|\.nodes|\.site|\.data)\/|\.(log|cpuprofile|heapprofile|heapsnapshot|tgz)$/;
    expect(tracked.filter((path) => output.test(path))).toEqual([]);
  });
});
