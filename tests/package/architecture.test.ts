import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readPages } from './markdown.js';
import { readSources, root } from './source-files.js';

const page = (path: string): string => readFileSync(join(root, path), 'utf8');
const architecture = page('docs/architecture.md');
const sources = readSources();

/** The part of the page below a heading, up to the next one of the same depth or less. */
function section(text: string, heading: string): string {
  const lines = text.split('\n');
  const start = lines.indexOf(heading);
  const depth = /^#+/.exec(heading)?.[0].length ?? 0;
  const length = lines
    .slice(start + 1)
    .findIndex((line) => /^#+ /.test(line) && (/^#+/.exec(line)?.[0].length ?? 0) <= depth);
  return start < 0 ? '' : lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join('\n');
}

/** The string members of a union type in `src/`. */
function unionOf(file: string, accept: (node: ts.Node) => ts.TypeNode | undefined): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const type = accept(node);
    if (type !== undefined && ts.isUnionTypeNode(type)) {
      for (const member of type.types) {
        if (ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal)) found.push(member.literal.text);
      }
    }
    ts.forEachChild(node, visit);
  };
  const source = sources.find(({ path }) => path === file);
  if (source !== undefined) visit(source.syntax);
  return found.sort();
}

/** The text in backticks in the first cell of each row, for each table of a text. */
function firstCells(text: string): string[][] {
  return text.split(/\n(?!\|)/).flatMap((block) => {
    const cells = block.split('\n').flatMap((line) => /^\|\s*`([^`]+)`\s*\|/.exec(line)?.[1] ?? []);
    return cells.length > 0 ? [cells.sort()] : [];
  });
}

/** Files of `src/`, `tests/` and `examples/` that a page names in backticks and that do not exist. */
function missingFiles(text: string): string[] {
  const named = [...text.matchAll(/`([\w./-]+\/[\w./-]+\.(?:ts|mjs|json|md))`/g)].map((match) => match[1] as string);
  return [...new Set(named)].filter(
    (path) => !['', 'src', 'tests'].some((folder) => existsSync(join(root, folder, path))),
  );
}

describe('docs/architecture.md', () => {
  it('names many files, all of which exist', () => {
    expect([...architecture.matchAll(/`[\w/-]+\/[\w.-]+\.ts`/g)].length).toBeGreaterThan(60);
    expect(missingFiles(architecture)).toEqual([]);
  });

  it('lists the response to every error code of a store and of a body', () => {
    const [ofStores, ofBodies] = firstCells(section(architecture, '### Error codes'));
    const stores = unionOf('store/contract/errors.ts', (node) =>
      ts.isTypeAliasDeclaration(node) && node.name.text === 'StoreErrorCode' ? node.type : undefined,
    );
    const bodies = unionOf('http/body.ts', (node) =>
      ts.isPropertySignature(node) && node.name.getText() === 'code' ? node.type : undefined,
    );
    expect([stores.length, bodies.length]).toEqual([11, 2]);
    expect(ofStores).toEqual(stores);
    expect(ofBodies).toEqual(bodies);
  });
});

describe('every page', () => {
  /** Words of pods and APIServices, of Node and of frameworks, and a placeholder for any guard. */
  const others = new Set([
    ...['periodSeconds', 'timeoutSeconds', 'terminationGracePeriodSeconds', 'startupProbe', 'preStop', 'caBundle'],
    ...['onRequest', 'onPreResponse', 'fromNodeHandler', 'isX', 'enableShutdownHooks', 'fromNodeMiddleware'],
    ...['beforeApplicationShutdown'],
    // Options of Node's servers.
    ...[
      'createServer',
      'headersTimeout',
      'handshakeTimeout',
      'maxHeaderSize',
      'maxSessionMemory',
      'maxConcurrentStreams',
    ],
    ...['streamResetBurst', 'streamResetRate'],
    // A field of Node's requests.
    ...['headersDistinct'],
    // The functions of @kubernetes/client-node that correspond to functions here.
    ...['loadFromCluster', 'listEventForAllNamespaces'],
  ]);
  /** The page without the left columns of the migration guide, which name functions and options of other libraries. */
  const ownWords = (path: string, prose: string): string =>
    path === 'docs/guides/migrating.md' ? prose.replace(/^\|[^|]*\|/gm, '|') : prose;
  const words = new Set(sources.flatMap(({ text }) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));

  it('names only files that exist', () => {
    const faults = readPages().flatMap(({ path, text }) => missingFiles(text).map((file) => `${path}: ${file}`));
    expect(faults.filter((fault) => !fault.startsWith('examples/'))).toEqual([]);
  });

  it('names only options, functions and fields that the code has', () => {
    const faults = readPages()
      .filter(({ path }) => !path.startsWith('examples/'))
      .flatMap(({ path, prose }) =>
        [...ownWords(path, prose).matchAll(/`([a-z]+[A-Z]\w*)(?:\(\))?`/g)]
          .map((match) => match[1] as string)
          .filter((name) => !words.has(name) && !others.has(name))
          .map((name) => `${path}: ${name}`),
      );
    expect(faults).toEqual([]);
  });
});

describe('the check itself', () => {
  it('finds a missing file and a missing section', () => {
    expect(missingFiles('see `events/no-such.ts` and `events/resource/schema.ts`')).toEqual(['events/no-such.ts']);
    expect(section('# A\n\n## B\nb\n### C\nc\n## D\nd', '## B')).toBe('b\n### C\nc');
    expect(section('# A', '## B')).toBe('');
  });
});
