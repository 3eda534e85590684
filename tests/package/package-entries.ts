import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source-files.js';

interface Target {
  readonly types: string;
  readonly default: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly homepage: string;
  readonly repository: { readonly type: string; readonly url: string };
  readonly bugs: string;
  readonly main: string;
  readonly types: string;
  readonly typesVersions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly sideEffects: unknown;
  readonly files: readonly string[];
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly exports: Readonly<Record<string, string | { readonly import: Target; readonly require: Target }>>;
}

/** The repository's package.json. */
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** One key of `exports` that is code. */
export interface PackageEntry {
  /** The key: `./health`. */
  readonly key: string;
  /** As users write it: `kube-vitals/health`. */
  readonly specifier: string;
  /** The file's name in `src/` and `dist/`, without its ending. */
  readonly base: string;
}

/** The entries in the order of package.json. */
export const entries: readonly PackageEntry[] = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target !== 'string')
  .map(([key]) => ({
    key,
    specifier: manifest.name + key.slice(1),
    base: key === '.' ? 'index' : key.slice(2),
  }));

/** A file of the build. Throws with advice where there is none. */
export function built(file: string): string {
  const path = join(root, 'dist', file);
  if (!existsSync(path))
    throw new Error(`dist/${file} is missing: run "npm run build" first, or "npm test", which does`);
  return path;
}
