import ts from 'typescript';
import { built, entries } from './package-entries.js';

/** A name that an entry exports. */
export interface ExportedName {
  /** The entry, as users write it: `kube-vitals/health`. */
  readonly specifier: string;
  readonly name: string;
  /** The symbol of the declaration, whichever file that is in. */
  readonly symbol: ts.Symbol;
}

/** Declaration files as an editor reads them. */
export interface Declarations {
  readonly checker: ts.TypeChecker;
  /** In the order of the entries. A name that two entries export is listed twice, with the same symbol. */
  readonly names: readonly ExportedName[];
  /** The symbol itself where it is an alias, as imports and re-exports are. */
  readonly resolve: (symbol: ts.Symbol) => ts.Symbol;
}

/** A file of declarations, and the entry it belongs to. */
export interface DeclarationFile {
  readonly specifier: string;
  readonly path: string;
}

const ofBuild = (): DeclarationFile[] =>
  entries.map(({ base, specifier }) => ({ specifier, path: built(`${base}.d.ts`) }));

/** Reads what files of declarations export. Default: those of the build. */
export function readDeclarations(files: readonly DeclarationFile[] = ofBuild()): Declarations {
  const program = ts.createProgram({
    rootNames: files.map(({ path }) => path),
    options: {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      skipLibCheck: true,
      types: [],
      noEmit: true,
    },
  });
  const checker = program.getTypeChecker();
  const resolve = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const names = files.flatMap(({ specifier, path }) => {
    const file = program.getSourceFile(path);
    const module = file && checker.getSymbolAtLocation(file);
    const symbols = module ? checker.getExportsOfModule(module) : [];
    return symbols.map((symbol) => ({ specifier, name: symbol.name, symbol: resolve(symbol) }));
  });
  return { checker, names, resolve };
}
