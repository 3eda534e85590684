import ts from 'typescript';
import { expect, it } from 'vitest';
import { readSources } from './source-files.js';

/** Quotes, braces, brackets and the backslash. */
const CHARACTERS = new Set([0x22, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d]);

function jsonIn(node: ts.Node): string[] {
  const found: string[] = [];
  const visit = (at: ts.Node): void => {
    if (ts.isStringLiteralLike(at) || ts.isTemplateHead(at) || ts.isTemplateMiddleOrTemplateTail(at)) {
      if (/["{}[\]\\]/.test(at.text)) found.push(at.text);
    } else if (ts.isNumericLiteral(at) && CHARACTERS.has(Number(at.text)) && at.getText().startsWith('0x')) {
      found.push(at.getText());
    } else if (ts.isIdentifier(at) && at.text === 'JSON') found.push(at.text);
    ts.forEachChild(at, visit);
  };
  visit(node);
  return found;
}

it('the sources of the memory store contain no JSON syntax', () => {
  const files = readSources().filter(({ path }) => path.startsWith('store/memory/'));
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(({ path, syntax }) => jsonIn(syntax).map((found) => `${path}: ${found}`))).toEqual([]);
  const sample = `const a = '{"metadata":'; if (b === 0x22) JSON.parse(c);`;
  expect(jsonIn(ts.createSourceFile('a.ts', sample, ts.ScriptTarget.Latest, true))).toHaveLength(3);
});
