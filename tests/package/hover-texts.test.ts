import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readDeclarations } from './public-declarations.js';
import type { Declarations } from './public-declarations.js';

/** Exported declarations and members without a comment, for which an editor shows no text; one line each. */
function undocumented({ checker, names }: Declarations): string[] {
  const faults = new Set<string>();
  const isDocumented = (symbol: ts.Symbol): boolean => symbol.getDocumentationComment(checker).length > 0;

  for (const { name, symbol } of names) {
    if (!isDocumented(symbol)) faults.add(name);
    for (const node of symbol.declarations ?? []) {
      if (!ts.isInterfaceDeclaration(node)) continue;
      for (const element of node.members) {
        const member = element.name && checker.getSymbolAtLocation(element.name);
        if (member && !isDocumented(member)) faults.add(`${name}.${member.name}`);
      }
    }
  }
  return [...faults].sort();
}

describe('the text that an editor shows', () => {
  it('exists for every exported name and every member of an exported type', () => {
    expect(undocumented(readDeclarations())).toEqual([]);
  });

  it('is reported as missing where a name or a member has none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-hover-'));
    try {
      const path = join(folder, 'made-up.d.ts');
      writeFileSync(
        path,
        `/** Documented. */
         export interface Whole {
           /** Its name. */
           readonly name: string;
           read(): void;
           readonly count: number;
         }
         export interface Bare {}
         export declare const value: number;
         /** A function. */
         export declare function make(): Whole;`,
      );
      expect(undocumented(readDeclarations([{ specifier: 'made-up', path }]))).toEqual([
        'Bare',
        'Whole.count',
        'Whole.read',
        'value',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
