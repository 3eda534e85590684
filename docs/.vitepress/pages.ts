import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Pages beside docs/. */
const TOP = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples/README.md'];

/** Every page of the site, from the repository's folder: README.md and its neighbours, and all of docs/. */
export function siteFiles(root: string): readonly string[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const pages = below.map((path) => `docs/${path.replaceAll('\\', '/')}`).filter((path) => path.endsWith('.md'));
  return [...TOP, ...pages.sort()];
}

/** Where the page of a file is: `docs/health.md` at `health.md`, README.md at `index.md`, a README.md below at its folder. */
export function siteAddress(file: string): string {
  const path = file.replace(/^docs\/(?!README\.md$)/, '');
  return /^[A-Z]+\.md$/.test(path) && path !== 'README.md'
    ? path.toLowerCase()
    : path.replace(/(^|\/)README\.md$/, '$1index.md');
}
