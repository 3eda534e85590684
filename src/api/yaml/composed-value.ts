import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { setMember } from '../../json/json-document.js';
import { MAX_DEPTH } from '../../json/parse-json.js';
import { goQuote, shorten } from '../../json/go-print.js';
import { isObject } from '../../json/json-tree.js';
import { MAX_STRICT_ERRORS } from '../body/parse-body.js';
import { plainScalar } from './plain-scalar.js';

/** Each duplicate key is one text, `line 7: key "d" already set in map`; a hundred at most. */
export type YamlResult =
  { readonly value: unknown; readonly duplicates: readonly string[] } | { readonly error: string };

type AnyNode = Node | Pair | null | undefined;

/** An anchored value, the number of its nodes, and the total length of its texts. */
interface Anchored {
  readonly value: unknown;
  readonly size: number;
  readonly length: number;
}

/** The most nodes that aliases may add to a document: a few bytes must not become gigabytes. */
const MAX_ALIASED = 1_000;
/** The most characters of text that aliases may add: as many as annotations may have. */
const MAX_ALIASED_LENGTH = 262_144;
const TAG = 'tag:yaml.org,2002:';

type Walk = ReturnType<typeof createWalk>;

const createWalk = (lineOf: (offset: number) => number) => ({
  lineOf,
  anchors: new Map<string, Anchored | 'open'>(),
  duplicates: [] as string[],
  /** Nodes seen so far, those of aliases counted each time. */
  size: 0,
  /** Characters of all scalars seen so far, in the same way. */
  length: 0,
  aliased: 0,
  aliasedLength: 0,
  error: undefined as string | undefined,
});

/** The plain value of a composed document, resolved by the rules of Go's YAML library. */
export function composedValue(contents: AnyNode, lineOf: (offset: number) => number): YamlResult {
  const walk = createWalk(lineOf);
  const value = valueOf(walk, contents, 0);
  return walk.error === undefined ? { value, duplicates: walk.duplicates } : { error: `yaml: ${walk.error}` };
}

function refuse(walk: Walk, error: string): undefined {
  walk.error ??= error;
}

function valueOf(walk: Walk, node: AnyNode, depth: number): unknown {
  if (walk.error !== undefined || node === null || node === undefined) return null;
  if (depth > MAX_DEPTH) return refuse(walk, 'exceeded max depth');
  walk.size++;
  if (isAlias(node)) return aliased(walk, node);
  const anchor = 'anchor' in node ? node.anchor : undefined;
  const { size, length } = walk;
  if (anchor !== undefined) walk.anchors.set(anchor, 'open');
  const value = isMap(node) || isSeq(node) ? collection(walk, node, depth) : scalar(walk, node as Scalar);
  if (anchor !== undefined)
    walk.anchors.set(anchor, { value, size: walk.size - size + 1, length: walk.length - length });
  return value;
}

function aliased(walk: Walk, { source }: Pick<Alias, 'source'>): unknown {
  const found = walk.anchors.get(source);
  if (found === undefined) return refuse(walk, `unknown anchor '${shorten(source)}' referenced`);
  if (found === 'open') return refuse(walk, `anchor '${shorten(source)}' value contains itself`);
  walk.size += found.size;
  walk.length += found.length;
  walk.aliased += found.size;
  walk.aliasedLength += found.length;
  if (walk.aliased > MAX_ALIASED || walk.aliasedLength > MAX_ALIASED_LENGTH)
    return refuse(walk, 'document contains excessive aliasing');
  return found.value;
}

function collection(walk: Walk, node: YAMLMap | YAMLSeq, depth: number): unknown {
  if (!isMap(node)) return node.items.map((item) => valueOf(walk, item as AnyNode, depth + 1));
  const object: Record<string, unknown> = {};
  for (const pair of node.items) {
    const given = pair.value as AnyNode;
    const members = isMergeKey(pair.key as AnyNode)
      ? merged(walk, given, depth + 1)
      : [[keyOf(walk, pair.key as AnyNode, depth + 1), valueOf(walk, given, depth + 1)] as const];
    if (walk.error !== undefined) break;
    for (const [key, value] of members) {
      if (walk.duplicates.length < MAX_STRICT_ERRORS && Object.hasOwn(object, key)) {
        const offset = (pair.value as Node | null)?.range?.[0] ?? (pair.key as Node).range?.[0] ?? 0;
        walk.duplicates.push(`line ${walk.lineOf(offset)}: key ${goQuote(shorten(key))} already set in map`);
      }
      setMember(object, key, value);
    }
  }
  return object;
}

function isMergeKey(node: AnyNode): boolean {
  if (!isScalar(node) || node.type !== 'PLAIN' || node.value !== '<<') return false;
  return node.tag === undefined || node.tag === '!' || node.tag === `${TAG}merge`;
}

/**
 * The members that `<<` adds: those of a map, or of a list of maps, of which the first one with a key counts. Added in
 * this order, the last of equal keys counts (as in Go's YAML library), whether it was written or merged.
 */
function merged(walk: Walk, node: AnyNode, depth: number): readonly (readonly [string, unknown])[] {
  const value = valueOf(walk, node, depth);
  const maps: readonly unknown[] = isSeq(node) ? [...((value ?? []) as unknown[])].reverse() : [value];
  if (maps.every(isObject)) return maps.flatMap((map) => Object.entries(map));
  refuse(walk, 'map merge requires map or sequence of maps as the value');
  return [];
}

function keyOf(walk: Walk, node: AnyNode, depth: number): string {
  const value = valueOf(walk, node, depth);
  if (typeof value === 'object' && value !== null) refuse(walk, 'invalid map key');
  return String(value);
}

function scalar(walk: Walk, node: Scalar): unknown {
  const text = typeof node.value === 'string' ? node.value : String(node.value ?? '');
  walk.length += text.length;
  const tag = node.tag?.startsWith(TAG) ? node.tag.slice(TAG.length) : undefined;
  const plain = node.type === 'PLAIN' || node.type === undefined;
  if (tag === 'str' || tag === 'timestamp' || node.tag === '!' || (!plain && tag === undefined))
    return text.toWellFormed();
  if (tag === 'binary') return decodedBinary(walk, text);
  const value = plainScalar(text);
  if (typeof value === 'number' && !Number.isFinite(value)) return refuse(walk, `unsupported value: ${shorten(text)}`);
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function decodedBinary(walk: Walk, base64: string): unknown {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return refuse(walk, '!!binary value contains invalid base64 data');
  }
}
