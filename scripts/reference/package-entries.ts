import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of the package that is code. */
export interface PackageEntry {
  /** As users write it: `kube-vitals/health`. */
  readonly specifier: string;
  /** The name of its page, without ending: `health`. */
  readonly page: string;
  /** Its file in `src/`. */
  readonly source: string;
  /** Its purpose, from the table in README.md, with links that are relative to docs/reference. */
  readonly purpose: string;
}

/** The entries in the order of the table in README.md, "What to import", which has all of them (tests/package/entries.test.ts). */
export function packageEntries(root: string): readonly PackageEntry[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  return [...readme.matchAll(/^\| `(kube-vitals(?:\/([\w-]+))?)` \| (.+) \|$/gm)].map(
    ([, specifier = '', name, purpose = '']) => ({
      specifier,
      page: name ?? specifier,
      source: join(root, 'src', `${name ?? 'index'}.ts`),
      purpose: purpose.replaceAll('](docs/', '](../'),
    }),
  );
}
