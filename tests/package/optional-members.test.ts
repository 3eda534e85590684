import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { entries } from './package-entries.js';
import { root } from './source-files.js';

const src = join(root, 'src/');

/** A program with `exactOptionalPropertyTypes`, as in services with strict settings. */
function createProgram(files: readonly string[]): ts.Program {
  return ts.createProgram({
    rootNames: [...files],
    options: {
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    },
  });
}

/**
 * The optional members that refuse `undefined`, of all types that public functions take: their arguments, the results
 * of the service's callbacks, and the arguments of methods on the objects that they return.
 */
function refusingUndefined(program: ts.Program, files: readonly string[], isOwn: (file: string) => boolean) {
  const checker = program.getTypeChecker();
  const refusing = new Set<string>();
  const members = new Set<string>();
  const seen = { taken: new Set<ts.Type>(), given: new Set<ts.Type>() };
  const other = { taken: 'given', given: 'taken' } as const;

  const visit = (type: ts.Type, way: 'taken' | 'given'): void => {
    if (seen[way].has(type)) return;
    seen[way].add(type);
    if (type.isUnionOrIntersection()) for (const part of type.types) visit(part, way);
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) visit(argument, way);
    for (const argument of type.aliasTypeArguments ?? []) visit(argument, way);
    for (const signature of type.getCallSignatures()) {
      for (const parameter of signature.parameters) visit(checker.getTypeOfSymbol(parameter), other[way]);
      visit(signature.getReturnType(), way);
    }
    for (const property of type.getProperties()) {
      const declaration = property.declarations?.[0];
      if (declaration === undefined || !isOwn(declaration.getSourceFile().fileName)) continue;
      if (way === 'taken' && ts.isPropertySignature(declaration) && declaration.questionToken && declaration.type) {
        const owner = declaration.parent;
        const name = ts.isInterfaceDeclaration(owner) ? owner.name.text : checker.typeToString(type);
        members.add(`${name}.${property.name}`);
        const declared = checker.getTypeFromTypeNode(declaration.type);
        const parts = declared.isUnion() ? declared.types : [declared];
        const accepts = ts.TypeFlags.Undefined | ts.TypeFlags.Unknown | ts.TypeFlags.Any;
        if (!parts.some(({ flags }) => flags & accepts)) refusing.add(`${name}.${property.name}`);
      }
      visit(checker.getTypeOfSymbol(property), way);
    }
  };

  for (const file of files) {
    const module = program.getSourceFile(file);
    const symbol = module && checker.getSymbolAtLocation(module);
    for (const exported of symbol ? checker.getExportsOfModule(symbol) : []) {
      const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (target.flags & ts.SymbolFlags.Value) visit(checker.getTypeOfSymbol(target), 'given');
    }
  }
  return { refusing: [...refusing].sort(), members };
}

describe('an optional member of what public functions take', () => {
  it('accepts undefined under exactOptionalPropertyTypes', () => {
    const files = entries.map(({ base }) => join(src, `${base}.ts`));
    const { refusing, members } = refusingUndefined(createProgram(files), files, (file) => file.startsWith(src));
    for (const name of ['HealthOptions.observe', 'EventsOptions.observe', 'HealthCheck.periodMs', 'Caller.uid']) {
      expect(members).toContain(name);
    }
    expect(refusing).toEqual([]);
  });

  it('is found where it refuses undefined, in options, in what callbacks return and in arguments of methods', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-types-'));
    const file = join(folder, 'made-up.ts');
    writeFileSync(
      file,
      `interface Answer { readonly text?: string; readonly status?: number | undefined }
       interface Options { readonly name?: string; readonly answer: () => Promise<Answer> }
       interface Made { readonly seen?: string; readonly add: (more: { readonly also?: string }) => void }
       export declare function create(options: Options): Made;`,
    );
    try {
      const { refusing } = refusingUndefined(createProgram([file]), [file], (name) => name === file);
      expect(refusing).toEqual(['Answer.text', 'Options.name', '{ readonly also?: string; }.also']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
