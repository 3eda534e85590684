import { fill, times } from './making.js';

/** A text that claims to be YAML. */
export interface YamlBody {
  readonly id: string;
  readonly title: string;
  make(bytes: number): string;
}

const repeated = (id: string, title: string, before: string, text: string, after = ''): YamlBody => ({
  id,
  title,
  make: (bytes) => before + times(text, bytes - before.length - after.length) + after,
});
const numbered = (
  id: string,
  title: string,
  before: string,
  item: (index: number) => string,
  after = '',
): YamlBody => ({
  id,
  title,
  make: (bytes) => fill(bytes, before, item, after, '\n'),
});

const HEAD = 'kind: Event\napiVersion: events.example.com/v1\n';

/** The sizes of YAML bodies: one that is refused for its length is cheap, one that is just short enough is not. */
export const YAML_SIZES: readonly number[] = [524_288, 131_000, 98_304, 30_000, 11_900, 5_900];

/** Texts that are hard for a reader of YAML, in the sizes of {@link YAML_SIZES}. */
export const yamlBodies: readonly YamlBody[] = [
  repeated('close', 'closing brackets', '', ']'),
  repeated('open', 'opening brackets', '', '['),
  repeated('open-braces', 'opening braces', '', '{'),
  repeated('braces-keys', 'objects in objects', '', '{"a":'),
  repeated('dashes', 'lists in lists', '', '- '),
  repeated('questions', 'keys that are no scalars', '', '? '),
  repeated('commas', 'a flow list of commas', '[', ',', ']'),
  repeated('flow', 'a flow list', '[', 'a,', 'a]'),
  repeated('flow-empty', 'a flow list of empty lists', '[', '[],', 'a]'),
  repeated('flow-pairs', 'a flow map', '{', 'a: b,', 'a: b}'),
  repeated('flow-implicit', 'pairs in a flow list', '[', 'a: b,', 'a]'),
  repeated('flow-lines', 'a flow list over many lines', '[\n', ',\n', ']'),
  repeated('colons', 'colons', '', ': '),
  repeated('colons-close', 'colons without blanks', '', ':'),
  repeated('colon-lines', 'lines of one colon', '', ':\n'),
  repeated('lines', 'short lines of a map', HEAD, 'a:\n'),
  repeated('list-lines', 'short lines of a list', '', '-\n'),
  repeated('blank-lines', 'blank lines', '', '\n'),
  repeated('blanks', 'blanks', '', ' '),
  repeated('tabs', 'tabs', 'a:\n', '\t'),
  repeated('carriage-returns', 'carriage returns', '', '\r'),
  repeated('comments', 'comments', '', '#\n'),
  repeated('long-comment', 'a long comment', '#', '#'),
  repeated('plain', 'a long plain scalar', 'a: ', 'x'),
  repeated('plain-words', 'a plain scalar of many words', 'a: ', 'x '),
  repeated('plain-lines', 'a plain scalar of many lines', 'a: x\n', ' x\n'),
  repeated('plain-hashes', 'a plain scalar of hashes', 'a: x', '#x'),
  repeated('plain-digits', 'a number of many digits', 'a: ', '1_'),
  repeated('plain-sexagesimal', 'a number of base 60', 'a: ', '1:'),
  repeated('double', 'a quoted text', 'a: "', 'x', '"'),
  repeated('double-open', 'a quoted text that does not end', 'a: "', 'x'),
  repeated('double-escapes', 'a quoted text of escapes', 'a: "', '\\x41', '"'),
  repeated('double-bad-escapes', 'a quoted text of wrong escapes', 'a: "', '\\q', '"'),
  repeated('double-lines', 'a quoted text of many lines', 'a: "', 'x\n ', '"'),
  repeated('double-blank-lines', 'a quoted text of blank lines', 'a: "', '\n', '"'),
  repeated('double-quotes', 'empty quoted texts', '', '""'),
  repeated('single-quotes', 'single quotes', "a: '", "''", "'"),
  repeated('single-lines', 'a single-quoted text of many lines', "a: '", 'x\n ', "'"),
  repeated('block', 'a block scalar', 'a: |\n', ' x\n'),
  repeated('block-folded', 'a folded scalar', 'a: >\n', ' x\n'),
  repeated('block-folded-blank', 'a folded scalar of blank lines', 'a: >\n  x\n', '\n'),
  repeated('block-stairs', 'many block scalars', '', '- |\n x\n'),
  repeated('block-headers', 'headers of block scalars', '', '|\n'),
  repeated('anchors', 'anchors', '', '&a '),
  repeated('anchor-long', 'a long anchor', '&', 'a'),
  repeated('anchor-same', 'one anchor many times', '', '- &a b\n'),
  repeated('anchor-text', 'text that looks like anchors', '', '&a: *a'),
  repeated('anchor-flow', 'anchors in a flow list', '[', '&a,', ']'),
  repeated('aliases', 'aliases without anchors', '', '*a '),
  repeated('alias-list', 'an alias many times', 'a: &a x\nb: [', '*a,', ']'),
  repeated('alias-keys', 'an alias as a key many times', '&a x: 1\n', '*a : 1\n'),
  repeated('alias-text', 'text that looks like aliases', '', '*a: &a'),
  numbered('anchored-keys', 'many anchors', '', (i) => `&a${i} k${i}: *a${i}`),
  repeated('tags', 'tags', '', '!a '),
  repeated('tag-long', 'a long tag', '!', 'a'),
  repeated('tag-items', 'tagged items', '', '- !!str a\n'),
  repeated('tag-percent', 'a tag of escapes', '!', '%41'),
  repeated('directives', 'directives', '', '%TAG ! tag:x,2000:\n'),
  repeated('directives-yaml', 'directives of versions', '', '%YAML 1.1\n'),
  repeated('documents', 'documents', '', '---\n'),
  repeated('document-ends', 'ends of documents', '', '...\n'),
  repeated('document-items', 'documents of one scalar', 'a', '\n--- a'),
  repeated('merge-keys', 'merge keys', 'a: &a {b: c}\n', '<<: *a\n'),
  repeated('bad-chars', 'reserved characters', '', '@`'),
  repeated('percents', 'percent signs', '', '%'),
  repeated('pipes', 'pipes', '', '|'),
  repeated('backslashes', 'backslashes', '', '\\'),
  repeated('unmatched', 'brackets of the wrong kind', '', '[}'),
  repeated('unmatched-more', 'brackets that close each other', '', '[]}{'),
  repeated('bad-indents', 'lines that are wrongly indented', 'a: b\n', '  c: d\n'),
  repeated('bad-flow', 'flow lists without commas', '', '[a]'),
  repeated('bad-pairs', 'maps on one line', 'a', ': b'),
  repeated('nulls', 'NUL characters', '', '\u0000'),
  repeated('surrogates', 'U+FFFD', 'a: ', '\ufffd'),
  repeated('marks', 'byte order marks', '', '\ufeff'),
  numbered('keys', 'a map of many keys', HEAD, (i) => `k${i}: v`),
  numbered('nested', 'maps in maps', '', (i) => `${' '.repeat(Math.min(i, 200))}a:`),
  numbered('stairs', 'maps in maps of rising and falling depth', '', (i) => `${' '.repeat(i % 90)}a:`),
];
