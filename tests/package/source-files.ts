import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The repository's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** One import of a source file, however it is written. */
export interface ImportLine {
  /** As written: `../http/request.js`, `node:zlib`, `yaml`. */
  readonly specifier: string;
  readonly kind: 'static' | 'dynamic' | 'type' | 're-export';
  readonly line: number;
}

export interface SourceFile {
  /** From `src/`, with forward slashes: `http/request.ts`. */
  readonly path: string;
  readonly text: string;
  readonly syntax: ts.SourceFile;
  readonly imports: readonly ImportLine[];
}

/** Every file below a folder of the repository, from that folder, with forward slashes, sorted. */
export function filesBelow(folder: string): string[] {
  const start = join(root, folder);
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(start, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Parses one file and collects its imports: static, `import type`, re-exports, `import()`, `require()` and import types. */
export function parseSource(path: string, text: string): SourceFile {
  const syntax = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: ImportLine[] = [];
  const add = (specifier: string, kind: ImportLine['kind'], node: ts.Node): void => {
    imports.push({ specifier, kind, line: syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      add(
        node.moduleSpecifier.text,
        node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? 'type' : 'static',
        node,
      );
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, node.isTypeOnly ? 'type' : 're-export', node);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) add(node.argument.literal.text, 'type', node);
    } else if (ts.isCallExpression(node) && loadsModule(node)) {
      const [argument] = node.arguments;
      add(argument && ts.isStringLiteralLike(argument) ? argument.text : '(computed)', 'dynamic', node);
    }
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return { path, text, syntax, imports };
}

function loadsModule(node: ts.CallExpression): boolean {
  if (node.expression.kind === ts.SyntaxKind.ImportKeyword) return true;
  const name = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : node.expression.getText();
  return name === 'require' || name === 'getBuiltinModule';
}

/** The parsed files of `src/`. */
export function readSources(): SourceFile[] {
  return filesBelow('src')
    .filter((path) => path.endsWith('.ts'))
    .map((path) => parseSource(path, readFileSync(join(root, 'src', path), 'utf8')));
}

/** The file of `src/` that a relative import means, or undefined for a package or a built-in. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}
