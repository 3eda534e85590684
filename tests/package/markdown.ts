import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHeadingAnchors } from '../../scripts/markdown/heading-anchors.js';
import { filesBelow, root } from './source-files.js';

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The line of its first code line, from 1. */
  readonly line: number;
}

export interface MarkdownPage {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly CodeBlock[];
  /** The page without its code, with as many lines. */
  readonly prose: string;
}

/** Splits a page into prose and fenced code. */
export function parseMarkdown(path: string, text: string): MarkdownPage {
  const blocks: CodeBlock[] = [];
  const prose: string[] = [];
  let open:
    { readonly fence: string; readonly indent: number; readonly language: string; readonly line: number } | undefined;
  let code: string[] = [];
  text.split('\n').forEach((line, index) => {
    const fence = /^(\s*)(`{3,}|~{3,})\s*([\w-]*)/.exec(line);
    if (open) {
      if (fence && fence[2] === open.fence && !fence[3]) {
        blocks.push({ language: open.language, code: code.join('\n'), line: open.line });
        open = undefined;
      } else {
        code.push(line.slice(Math.min(open.indent, line.length - line.trimStart().length)));
      }
      prose.push('');
    } else if (fence) {
      const [, indent = '', mark = '', language = ''] = fence;
      open = { fence: mark, indent: indent.length, language, line: index + 2 };
      code = [];
      prose.push('');
    } else {
      prose.push(line);
    }
  });
  return { path, text, blocks, prose: prose.join('\n') };
}

/** README, changelog, and every page of docs/ and examples/. */
export function readPages(): MarkdownPage[] {
  const top = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].filter((path) =>
    existsSync(join(root, path)),
  );
  const below = ['docs', 'examples'].filter((folder) => existsSync(join(root, folder)));
  const inside = below.flatMap((folder) => filesBelow(folder).map((path) => `${folder}/${path}`));
  return [...top, ...inside.filter((path) => path.endsWith('.md') && !path.includes('node_modules/'))].map((path) =>
    parseMarkdown(path, readFileSync(join(root, path), 'utf8')),
  );
}

/** Every anchor of a page. */
export function anchorsOf(page: MarkdownPage): Set<string> {
  const headings = [...page.prose.matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm)].map(([, heading = '']) => heading);
  const anchors = new Set(headings.map(createHeadingAnchors()));
  for (const match of page.prose.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) anchors.add(match[1] as string);
  return anchors;
}

/** Links and images of a page that point into the repository, with their lines. */
export function localLinks(page: MarkdownPage): { readonly target: string; readonly line: number }[] {
  const links: { target: string; line: number }[] = [];
  page.prose.split('\n').forEach((text, index) => {
    const plain = text.replace(/`[^`]*`/g, '');
    for (const match of plain.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)/g)) {
      const target = (match[1] ?? match[2]) as string;
      if (!/^[a-z][a-z0-9+.-]*:/i.test(target)) links.push({ target, line: index + 1 });
    }
  });
  return links;
}
