import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { anchorsOf, localLinks, parseMarkdown, readPages } from './markdown.js';
import { built, entries, manifest } from './package-entries.js';
import { root } from './source-files.js';
import type { MarkdownPage } from './markdown.js';

const pages = readPages();
const LANGUAGES = new Set(['ts', 'typescript', 'js', 'javascript', 'mjs']);

/** Links that lead nowhere, one line each. */
function brokenLinks(page: MarkdownPage): string[] {
  return localLinks(page).flatMap(({ target, line }) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(root, page.path) : join(root, dirname(page.path), decodeURI(path));
    const fault = `${page.path}:${line} → ${target}`;
    if (relative(root, file).startsWith('..') || !existsSync(file)) return [fault];
    if (anchor === undefined || anchor === '' || !file.endsWith('.md') || statSync(file).isDirectory()) return [];
    const targetPage = pages.find(({ path: other }) => join(root, other) === file);
    return targetPage && !anchorsOf(targetPage).has(anchor) ? [fault] : [];
  });
}

/** Import paths on a page that are no entry of the package. */
function unknownSpecifiers(page: MarkdownPage): string[] {
  const known = new Set([...entries.map(({ specifier }) => specifier), `${manifest.name}/package.json`]);
  return page.text.split('\n').flatMap((text, index) =>
    [...text.matchAll(/(?<=['"`])kube-vitals(?:\/[\w./-]+)?(?=['"`])/g)]
      .map(([specifier]) => specifier)
      .filter((specifier) => !known.has(specifier))
      .map((specifier) => `${page.path}:${index + 1} ${specifier}`),
  );
}

/**
 * Compiles every code block that imports the package, as a consumer of the build would. Names of the reader's service
 * (`db`, `app`) may stay undeclared; names and types of the package have to be right.
 */
function compileBlocks(of: readonly MarkdownPage[]): string[] {
  const snippets = new Map<string, { readonly page: MarkdownPage; readonly line: number; readonly code: string }>();
  for (const page of of) {
    page.blocks.forEach(({ language, code, line }, index) => {
      if (!LANGUAGES.has(language) || !/['"]kube-vitals(\/[\w-]+)?['"]/.test(code)) return;
      snippets.set(join(root, `snippet-${page.path.replace(/\W/g, '-')}-${index}.ts`), { page, line, code });
    });
  }
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node', 'jest'],
    strict: true,
    noImplicitAny: false,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    esModuleInterop: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (path) => snippets.has(path) || fileExists(path);
  host.readFile = (path) => snippets.get(path)?.code ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const snippet = snippets.get(path);
    // `export {}` makes a module of blocks that only require().
    return snippet
      ? ts.createSourceFile(path, `${snippet.code}\nexport {};\n`, ts.ScriptTarget.ES2022, true)
      : getSourceFile(path, ...rest);
  };
  // Undeclared names, and errors that follow from a name that an earlier block of the page declares.
  const tolerated = new Set([2304, 2552, 18004, 2503, 2868]);
  const program = ts.createProgram([...snippets.keys()], options, host);
  return [...snippets].flatMap(([path, { page, line }]) => {
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found
      .filter(({ code }) => !tolerated.has(code))
      .map(({ start = 0, messageText, code }) => {
        const at = line + (file?.getLineAndCharacterOfPosition(start).line ?? 0);
        return `${page.path}:${at} TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      });
  });
}

describe('the documentation', () => {
  it('has a README and an index', () => {
    expect(pages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['README.md', 'docs/README.md', 'CHANGELOG.md']),
    );
  });

  it('shows in the first section of the README how to install the package', () => {
    const readme = pages.find(({ path }) => path === 'README.md');
    const [, heading, section = ''] = /^## (.+)\n([^]*?)^## /m.exec(readme?.text ?? '') ?? [];
    expect(heading).toBe('Installation');
    expect(parseMarkdown('README.md', section).blocks[0]).toMatchObject({
      language: 'sh',
      code: expect.stringMatching(new RegExp(`^npm install ${manifest.name}$`)) as unknown,
    });
  });

  it('links only to existing targets', () => {
    expect(pages.flatMap(brokenLinks)).toEqual([]);
  });

  it('names only entry points that the package has', () => {
    expect(pages.flatMap(unknownSpecifiers)).toEqual([]);
  });

  it('selects events by fields of core/v1 where kubectl reads core/v1', () => {
    const commands = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/kubectl get (\S+) [^`\n]*--field-selector (\S+)/g)].map(
        ([, resource = '', selector = '']) => ({ path, resource, selector }),
      ),
    );
    expect(commands).not.toEqual([]);
    const isCore = ({ resource }: { resource: string }) => !resource.includes('.');
    expect(commands.filter((command) => isCore(command) && command.selector.includes('regarding.'))).toEqual([]);
  });

  it('lists every observation with its members', () => {
    const source = readFileSync(join(root, 'src/observe/observation.ts'), 'utf8').split('interface WatchObserver')[0];
    const members = [...(source ?? '').matchAll(/^ {2}(?: {4})?readonly (\w+)\??: (?:'([\w.]+)';)?/gm)];
    const names = members.map(([, member = '', literal]) => literal ?? member);
    expect(names).toEqual(expect.arrayContaining(['cache.changed', 'impersonator', 'scope']));
    const [, section = ''] =
      /^## Observability\n([^]*?)^## /m.exec(readFileSync(join(root, 'docs/embedding.md'), 'utf8')) ?? [];
    expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
  });

  it('shows code that compiles against the build', () => {
    for (const { base } of entries) built(`${base}.d.ts`);
    expect(compileBlocks(pages)).toEqual([]);
  });
});

describe('the check itself', () => {
  const page = (code: string): MarkdownPage =>
    parseMarkdown('docs/made-up.md', `# Made up\n\n\`\`\`ts\n${code}\n\`\`\`\n`);

  it('finds a name that is not exported, with its line', () => {
    const faults = compileBlocks([
      page(`import { toNodeListener } from 'kube-vitals/node';\nimport { noSuch } from 'kube-vitals';`),
    ]);
    expect(faults).toEqual([expect.stringMatching(/^docs\/made-up\.md:5 TS2305 /)]);
  });

  it('allows names that belong to the reader', () => {
    expect(
      compileBlocks([page(`import { toNodeListener } from 'kube-vitals/node';\napp.use(toNodeListener(handler));`)]),
    ).toEqual([]);
  });

  it('finds a subpath that is not an entry point, and a broken link', () => {
    const text = parseMarkdown('docs/made-up.md', "[x](no-such.md) [y](#no-such) `import 'kube-vitals/nope'`");
    expect(unknownSpecifiers(text)).toEqual(['docs/made-up.md:1 kube-vitals/nope']);
    expect(brokenLinks(text)).toEqual(['docs/made-up.md:1 → no-such.md', 'docs/made-up.md:1 → #no-such']);
  });
});
