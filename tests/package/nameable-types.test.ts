import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readDeclarations } from './public-declarations.js';
import type { Declarations } from './public-declarations.js';

/** The types of the package that exported declarations name and no entry exports: `entry: declaration names type`. */
function unnameable({ checker, names, resolve }: Declarations): string[] {
  const exported = new Set(names.map(({ symbol }) => symbol));
  const faults = new Set<string>();
  for (const { specifier, name, symbol } of names) {
    const visit = (node: ts.Node): void => {
      const named = ts.isTypeReferenceNode(node)
        ? node.typeName
        : ts.isExpressionWithTypeArguments(node)
          ? node.expression
          : undefined;
      const found = named && checker.getSymbolAtLocation(named);
      const type = found && resolve(found);
      if (type && isOfPackage(type) && !exported.has(type)) faults.add(`${specifier}: ${name} names ${type.name}`);
      ts.forEachChild(node, visit);
    };
    for (const declaration of symbol.declarations ?? []) visit(declaration);
  }
  return [...faults].sort();
}

/** False for type parameters, for what TypeScript itself declares, and for globals of a runtime such as AbortSignal. */
function isOfPackage({ flags, declarations = [] }: ts.Symbol): boolean {
  const isDeclared = (flags & ts.SymbolFlags.Type & ~ts.SymbolFlags.TypeParameter) !== 0;
  return (
    isDeclared &&
    declarations.length > 0 &&
    declarations.every((node) => !/\/node_modules\//.test(node.getSourceFile().fileName))
  );
}

describe('a type that an exported declaration names', () => {
  it('can be imported from an entry', () => {
    expect(unnameable(readDeclarations())).toEqual([]);
  });

  it('is found where no entry exports it, in members, parameters, results and base types', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-types-'));
    try {
      const path = join(folder, 'made-up.d.ts');
      writeFileSync(
        path,
        `interface Base { readonly a: string }
         interface Member { readonly b: string }
         interface Taken { readonly c: string }
         type Given = 'd';
         export interface Public { readonly e: string }
         export interface Made<T> extends Base { readonly member: readonly Member[]; readonly other: T; readonly own: Public }
         export declare function make(taken: Taken, date: Date): Promise<Given>;
         export {};`,
      );
      expect(unnameable(readDeclarations([{ specifier: 'made-up', path }]))).toEqual([
        'made-up: Made names Base',
        'made-up: Made names Member',
        'made-up: make names Given',
        'made-up: make names Taken',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
