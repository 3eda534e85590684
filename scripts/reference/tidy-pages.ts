import { format } from 'prettier';
import { createHeadingAnchors, headingAnchor } from '../markdown/heading-anchors.js';
import type { Options } from 'prettier';

/**
 * Shortens the pages of typedoc-plugin-markdown, by file name, and gives names anchors that do not depend on other
 * names.
 */
export async function tidyPages(
  pages: ReadonlyMap<string, string>,
  style: Options,
): Promise<ReadonlyMap<string, string>> {
  const shorter = [...pages].map(([name, text]) => [name, shorten(text)] as const);
  const anchors = new Map(shorter.flatMap(([name, text]) => ownAnchors(name, text)));
  const linked = new Map(shorter.map(([name, text]) => [name, renameLinks(name, text, anchors)]));
  const targets = new Set([...linked].flatMap(([name, text]) => linkTargets(name, text)));
  const tidied = new Map<string, string>();
  for (const [name, text] of linked) {
    tidied.set(name, await formatCode(renameAnchors(name, text, anchors, targets), style));
  }
  return tidied;
}

/** Replacements on every page, in this order. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/^\*{3}$/gm, ''],
  [/ ------ \|/g, '---|'],
  // The lines of a union become one.
  [/^ +\\\| (.+)\n(?= +\\\|)/gm, '$1 \\| '],
  [/^(.+ \\\| ) +\\\| /gm, '$1'],
  [/(?<=\| |=> )\\\| /g, ''],
  // Type arguments that the sources do not have.
  [/(`Uint8Array`)\\<`ArrayBufferLike`\\>/g, '$1'],
  [/\bUint8Array<ArrayBufferLike>/g, 'Uint8Array'],
  [/(`AsyncIterable`\\<[^,\n]+), `any`, `any`\\>/g, '$1\\>'],
  // A callable interface has its text twice.
  [/^(#{3} \w+\(\)\n\n)((?:(?!```).+\n)+)\n(```ts\n[^]*?\n```\n\n)\2/gm, '$1$3$2'],
  // The members of a union of objects are named by their `type`, if they have one: the declaration above shows them in
  // full.
  [/^##### Type Literal\n\n```ts\n\{\n(?: .*\n)*? {2}type: "([\w.]+)";\n(?: .*\n)*?\}\n```$/gm, '##### `$1`'],
  [
    /^##### Type Literal\n\n```ts\n\{\n(?: .*\n)*? {2}type: "([\w.]+)" \| "([\w.]+)";\n(?: .*\n)*?\}\n```$/gm,
    '##### `$1` or `$2`',
  ],
  [/^##### Type Literal\n\n```ts\n\{\n(?: .*\n)*?\}\n```$/gm, '##### Object'],
  [
    /^\\\{\n(?:.*\n)*? {2}`type`: `"([\w.]+)"`;\n(?:.*\n)*?\\\} & (\[.+\))$/gm,
    '##### `$1`\n\nHas the members of $2 as well.',
  ],
];

/** Shortens a page: no rules between names, no empty results, one line for each name that another page describes. */
function shorten(text: string): string {
  const [own = '', references] = text.split(/^## References\n/m);
  const links = [...(references ?? '').matchAll(/^Re-exports (\[.+)$/gm)].map(([, link]) => link);
  const others = links.length === 0 ? '' : `\n## Exported here too\n\n${links.join(', ')}\n`;
  const shorter = REPLACED.reduce((body, [pattern, by]) => body.replaceAll(pattern, by), own);
  return `${(withoutRepetition(shorter) + others).replaceAll(/\n{3,}/g, '\n\n').trim()}\n`;
}

/** Leaves out parameters and results that add nothing to the declaration: those without a text and without a link. */
function withoutRepetition(text: string): string {
  const sections = text.split(/^(?<!<\/a>\n\n)(?=(?:<a id="[^"]+"><\/a>\n\n)?#{2,6} )/m);
  const kept = sections.filter((section) => {
    const [, title, body = ''] = /^#+ (Parameters|Returns)\n([^]*)$/.exec(section) ?? [];
    if (title === undefined || /\]\(/.test(body)) return true;
    return title === 'Parameters' ? /^\| Parameter \| Type \| /m.test(body) : body.trim().includes('\n');
  });
  // A function that throws for several reasons has one heading for them.
  const once = kept.map((section, index) =>
    /^#+ Throws\n/.test(section) && /^#+ Throws\n/.test(kept[index - 1] ?? '')
      ? section.replace(/^.*\n\n/, '')
      : section,
  );
  return once.join('');
}

/** `page#anchor` of TypeDoc, and the anchor that replaces it: that of the heading, or `interface-member`. */
function ownAnchors(name: string, text: string): [string, string][] {
  const found: [string, string][] = [];
  const nextHeading = createHeadingAnchors();
  let id: string | undefined;
  let owner = '';
  for (const line of text.replaceAll(/^```[^]*?^```$/gm, '').split('\n')) {
    const [, level = '', heading = ''] = /^(#+) (.+)$/.exec(line) ?? [];
    const [, anchor, member] = /<a id="([^"]+)"><\/a>(?: `([\w.]+))?/.exec(line) ?? [];
    if (level !== '') {
      const own = nextHeading(heading);
      if (level === '###') owner = own;
      if (id !== undefined) found.push([`${name}#${id}`, own]);
      id = undefined;
    } else if (anchor !== undefined && member !== undefined) {
      found.push([`${name}#${anchor}`, `${owner}-${headingAnchor(member)}`]);
    } else if (anchor !== undefined) {
      id = anchor;
    }
  }
  return found;
}

const LINK = /\]\(([\w-]+\.md)?#([\w.-]+)\)/g;

function renameLinks(name: string, text: string, anchors: ReadonlyMap<string, string>): string {
  return text.replaceAll(LINK, (_link, page: string | undefined, anchor: string) => {
    const own = anchors.get(`${page ?? name}#${anchor}`);
    if (own === undefined) throw new Error(`${name} links to ${page ?? name}#${anchor}, which is no anchor.`);
    return `](${page ?? ''}#${own})`;
  });
}

function linkTargets(name: string, text: string): string[] {
  return [...text.matchAll(LINK)].map(([, page, anchor]) => `${page ?? name}#${anchor}`);
}

/** Headings have anchors anyway; of all others only those stay to which a link leads. */
function renameAnchors(
  name: string,
  text: string,
  anchors: ReadonlyMap<string, string>,
  targets: ReadonlySet<string>,
): string {
  return text
    .replaceAll(/^<a id="[^"]+"><\/a>\n\n/gm, '')
    .replaceAll(/<a id="([^"]+)"><\/a> /g, (_anchor, id: string) => {
      const own = anchors.get(`${name}#${id}`) ?? '';
      return targets.has(`${name}#${own}`) ? `<a id="${own}"></a> ` : '';
    });
}

/** Formats the code of a page as that of `src/`, a little narrower. */
async function formatCode(text: string, style: Options): Promise<string> {
  const parts = text.split(/^```ts\n([^]*?)^```$/m);
  const formatted = await Promise.all(
    parts.map(async (part, index) => (index % 2 === 0 ? part : `\`\`\`ts\n${await formatBlock(part, style)}\`\`\``)),
  );
  return formatted.join('');
}

/** Formats a declaration, or a member of an interface. Anything else, such as an example with `…`, stays as it is. */
async function formatBlock(code: string, style: Options): Promise<string> {
  const formatted = (text: string, printWidth: number): Promise<string | undefined> =>
    format(text, { ...style, parser: 'typescript', printWidth }).catch(() => undefined);
  const declaration = await formatted(code, 100);
  if (declaration !== undefined) return declaration;
  const member = await formatted(`interface X {\n${code}}`, 102);
  return member === undefined
    ? code
    : member
        .trimEnd()
        .split('\n')
        .slice(1, -1)
        .map((line) => `${line.slice(2)}\n`)
        .join('');
}
