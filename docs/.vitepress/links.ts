import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { siteAddress } from './pages.js';
import type { MarkdownRenderer } from 'vitepress';

/** Where links lead. */
export interface LinkTargets {
  /** The repository's folder. */
  readonly root: string;
  /** Its address, for what is a file there and no page of the site. */
  readonly repository: string;
  /** The pages of the site, from the repository's folder. */
  readonly pages: readonly string[];
}

/**
 * A plugin of markdown-it. Links between pages become their addresses on the site, and links to other files of the repository
 * their addresses there. Throws where there is no such file.
 */
export function repositoryLinks(markdown: MarkdownRenderer, targets: LinkTargets): void {
  markdown.core.ruler.push('repository-links', (state) => {
    const { realPath, path } = state.env as { readonly realPath?: string; readonly path: string };
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href !== null && !/^([a-z][a-z\d+.-]*:|#|\/)/i.test(href)) {
          token.attrSet('href', resolveLink(href, realPath ?? path, targets));
        }
      }
    }
  });
}

/** The address of what a page links to. */
export function resolveLink(href: string, page: string, { root, repository, pages }: LinkTargets): string {
  const [path = '', anchor] = href.split('#');
  const target = join(dirname(page), decodeURI(path));
  const file = relative(root, target).replaceAll('\\', '/').replace(/\/$/, '');
  if (file.startsWith('..') || !existsSync(target)) {
    throw new Error(`${relative(root, page)} links to ${href}, and there is no such file.`);
  }
  const fragment = anchor === undefined ? '' : `#${anchor}`;
  const found = pages.find((candidate) => candidate === file || candidate === `${file}/README.md`);
  if (found !== undefined) return `/${siteAddress(found)}${fragment}`;
  return `${repository}/${statSync(target).isDirectory() ? 'tree' : 'blob'}/main/${file}${fragment}`;
}
