import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { siteAddress, siteFiles } from './pages.js';
import type { DefaultTheme } from 'vitepress';

interface Topic {
  readonly text: string;
  /** Files, or folders with all their pages. */
  readonly of: readonly string[];
  readonly collapsed?: boolean;
}

/** The topics, in the order of the sidebar. */
const TOPICS: readonly Topic[] = [
  { text: 'Getting started', of: ['README.md', 'docs/embedding.md', 'docs/standalone.md', 'examples/README.md'] },
  { text: 'Guides', of: ['docs/guides/'] },
  { text: 'Health', of: ['docs/health.md'] },
  { text: 'Client', of: ['docs/client.md', 'docs/recording-events.md', 'docs/following-events.md'] },
  { text: 'Events', of: ['docs/compatibility.md', 'docs/specification.md', 'docs/limits.md', 'docs/performance.md'] },
  {
    text: 'Stores',
    of: [
      'docs/choosing-a-store.md',
      'docs/stores/',
      'docs/watch-cache.md',
      'docs/more-than-one-core.md',
      'docs/implementing-a-store.md',
    ],
  },
  { text: 'Observability', of: ['docs/observability.md'] },
  { text: 'Reference', of: ['docs/reference/'], collapsed: true },
  {
    text: 'Project',
    of: [
      'docs/README.md',
      'docs/architecture.md',
      'docs/testing.md',
      'docs/testing-stores.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ],
    collapsed: true,
  },
  { text: 'Decisions', of: ['docs/decisions/'], collapsed: true },
];

/** The sidebar. Throws when a page belongs to no topic: nobody would find it. */
export function sidebar(root: string): DefaultTheme.SidebarItem[] {
  const files = siteFiles(root);
  const placed = new Set<string>();
  const topics = TOPICS.map(({ text, of, collapsed = false }) => {
    const pages = of.flatMap((path) => (path.endsWith('/') ? pagesBelow(path, files) : [path]));
    for (const page of pages) placed.add(page);
    return { text, collapsed, items: pages.map((page) => ({ text: titleOf(root, page), link: linkTo(page) })) };
  });
  const lost = files.filter((file) => !placed.has(file));
  if (lost.length > 0) throw new Error(`In no topic of docs/.vitepress/sidebar.ts: ${lost.join(', ')}`);
  return topics;
}

/** The index of a folder comes first. */
function pagesBelow(folder: string, files: readonly string[]): readonly string[] {
  const inside = files.filter((file) => file.startsWith(folder));
  return inside.sort((one, other) => Number(other.endsWith('/README.md')) - Number(one.endsWith('/README.md')));
}

function linkTo(file: string): string {
  return `/${siteAddress(file)}`.replace(/(index)?\.md$/, '');
}

/** The first heading of a page. */
function titleOf(root: string, file: string): string {
  const [, heading = file] = /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  return heading.replaceAll('`', '');
}
