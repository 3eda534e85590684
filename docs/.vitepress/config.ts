import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { headingAnchor } from '../../scripts/markdown/heading-anchors.js';
import { repositoryLinks } from './links.js';
import { siteAddress, siteFiles } from './pages.js';
import { sidebar } from './sidebar.js';

const root = join(import.meta.dirname, '..', '..');

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly description: string;
  readonly repository: { readonly url: string };
};
const repository = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

// Pages are written for the repository, where README.md and docs/ link to each other and to files: so the source folder is
// all of it, and links are resolved as files.
export default defineConfig({
  title: manifest.name,
  description: manifest.description,
  srcDir: '..',
  srcExclude: ['{bench,scripts,src,tests}/**'],
  rewrites: siteAddress,
  outDir: join(root, '.site/html'),
  cacheDir: join(root, '.site/cache'),
  // The index of the search and the longest pages of the reference.
  vite: { build: { chunkSizeWarningLimit: 3_000 } },
  markdown: {
    anchor: { slugify: headingAnchor },
    config: (markdown) => {
      markdown.use(repositoryLinks, { root, repository, pages: siteFiles(root) });
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/guides/kubernetes' },
      { text: 'Reference', link: '/reference/' },
    ],
    sidebar: sidebar(root),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
  },
});
