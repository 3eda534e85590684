import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readDeclarations } from './public-declarations.js';
import type { Declarations } from './public-declarations.js';

/**
 * Exported declarations and members without a comment, for which an editor shows no text; one line each. The members of
 * a declaration are those of its interface or type, and of all type literals in it: in unions, intersections, members
 * and parameters.
 */
function undocumented({ checker, names }: Declarations): string[] {
  const faults = new Set<string>();
  const isDocumented = (symbol: ts.Symbol): boolean => symbol.getDocumentationComment(checker).length > 0;

  const visit = (node: ts.Node, owner: string): void => {
    const member = ts.isTypeElement(node) && node.name && checker.getSymbolAtLocation(node.name);
    const path = member ? `${owner}.${member.name}` : owner;
    if (member && !isDocumented(member)) faults.add(path);
    ts.forEachChild(node, (child) => {
      // What a conditional type compares with is no part of the type.
      if (!ts.isConditionalTypeNode(node) || child !== node.extendsType) visit(child, path);
    });
  };
  for (const { name, symbol } of names) {
    if (!isDocumented(symbol)) faults.add(name);
    for (const node of symbol.declarations ?? []) visit(node, name);
  }
  return [...faults].sort();
}

/** The faults of a file of declarations with this text. */
function faultsOf(text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-hover-'));
  try {
    const path = join(folder, 'made-up.d.ts');
    writeFileSync(path, text);
    return undocumented(readDeclarations([{ specifier: 'made-up', path }]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the text that an editor shows', () => {
  it('exists for every exported name and every member of an exported type', () => {
    expect(undocumented(readDeclarations())).toEqual([]);
  });

  it('is reported as missing where a name or a member has none', () => {
    const faults = faultsOf(
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
    expect(faults).toEqual(['Bare', 'Whole.count', 'Whole.read', 'value']);
  });

  it('is reported as missing for members of type literals in unions, intersections, members and parameters', () => {
    const faults = faultsOf(
      `/** A union. */
       export type Either =
         | {
             /** Documented, unlike the other one. */
             readonly type: 'one';
             readonly first: string;
           }
         | ({ readonly type: 'two' } & { readonly second: string })
         | readonly { readonly third: string }[];
       /** An interface. */
       export interface Outer {
         /** Documented, unlike its member. */
         readonly settings?: {
           readonly inner: {
             /** Documented, unlike what it is a member of. */
             readonly depth: number;
           };
         };
         /** A method. */
         run(context: { readonly signal: string }): Promise<{ readonly rows: number }>;
       }
       /** A function. */
       export declare function make(options?: { readonly size?: number }): void;
       /** A constant. */
       export declare const table: { readonly entry: string };`,
    );
    expect(faults).toEqual([
      'Either.first',
      'Either.second',
      'Either.third',
      'Either.type',
      'Outer.run.rows',
      'Outer.run.signal',
      'Outer.settings.inner',
      'make.size',
      'table.entry',
    ]);
  });

  it('is not demanded of keys of mapped types, nor of what conditional types compare with', () => {
    const faults = faultsOf(
      `/** A mapped type. */
       export type Copy<T> = { readonly [Key in keyof T]?: T[Key] };
       /** A conditional type. */
       export type Unwrapped<T> = T extends { readonly value: infer Value } ? Value : { readonly otherwise: T };`,
    );
    expect(faults).toEqual(['Unwrapped.otherwise']);
  });
});
