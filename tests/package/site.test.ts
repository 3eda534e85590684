import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveLink } from '../../docs/.vitepress/links.js';
import { siteAddress, siteFiles } from '../../docs/.vitepress/pages.js';
import { sidebar } from '../../docs/.vitepress/sidebar.js';
import { readPages } from './markdown.js';
import { root } from './source-files.js';

describe('the site', () => {
  const files = siteFiles(root);

  it('has every page of the documentation, at an address of its own', () => {
    expect([...files].sort()).toEqual(
      readPages()
        .map(({ path }) => path)
        .sort(),
    );
    expect(new Set(files.map(siteAddress)).size).toBe(files.length);
  });

  it('lists every page in its sidebar, once, with its title', () => {
    const items = sidebar(root).flatMap((topic) => topic.items ?? []);
    expect(items.map(({ link }) => link).sort()).toEqual(
      files.map((file) => `/${siteAddress(file)}`.replace(/(index)?\.md$/, '')).sort(),
    );
    expect(items.find(({ link }) => link === '/health')).toEqual({
      text: expect.stringContaining('ealth'),
      link: '/health',
    });
  });

  const from = (page: string, href: string): string =>
    resolveLink(href, join(root, page), { root, repository: 'https://example.com/r', pages: files });

  it.each([
    ['docs/health.md', 'embedding.md#shutdown', '/embedding.md#shutdown'],
    ['docs/health.md', '../README.md', '/index.md'],
    ['docs/README.md', 'decisions/', '/decisions/index.md'],
    ['README.md', 'SECURITY.md', '/security.md'],
    ['README.md', 'LICENSE', 'https://example.com/r/blob/main/LICENSE'],
    ['docs/health.md', '../src/health/', 'https://example.com/r/tree/main/src/health'],
  ])('turns on %s a link to %s into one to %s', (page, href, address) => {
    expect(from(page, href)).toBe(address);
  });

  it.each(['no-such.md', '../src/no-such.ts', '../../outside.md'])('is not built with a link to %s', (href) => {
    expect(() => from('docs/health.md', href)).toThrow(`docs/health.md links to ${href}, and there is no such file.`);
  });
});
