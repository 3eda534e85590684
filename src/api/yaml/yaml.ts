import { LineCounter } from 'yaml';
import { shorten } from '../../json/go-print.js';
import { type BodyLimits, tooManyMembers } from '../body/member-limit.js';
import { membersWithin } from '../../json/member-count.js';
import { composedValue, type YamlResult } from './composed-value.js';
import { firstDocument } from './first-document.js';

/**
 * Reads the first document of a YAML text as Kubernetes does (`sigs.k8s.io/yaml`): JSON is YAML, `yes`, `on` and the
 * like are booleans, keys become strings, dates stay strings, `<<` merges maps, the last of equal keys counts. An empty
 * text is `null`. Size, depth and the growth by aliases are bounded.
 *
 * @throws StatusFailure 413 for a text with too many fields and list items
 */
export function parseYaml(text: string, limits: BodyLimits): YamlResult {
  const lines = new LineCounter();
  const lineOf = (offset: number): number => lines.linePos(offset).line;
  const first = firstDocument(text, limits.yamlCharacters, lines.addNewLine);
  if ('contents' in first) {
    const result = composedValue(first.contents, lineOf);
    const { members } = limits;
    if ('value' in result && !membersWithin(result.value, members)) throw tooManyMembers('the body', members);
    return result;
  }
  const { message, offset } = first;
  // The library recurses into nested collections, and has exhausted the stack.
  if (message.includes('call stack')) return { error: 'yaml: exceeded max depth' };
  return { error: offset < 0 ? `yaml: ${message}` : `yaml: line ${lineOf(offset)}: ${shorten(message)}` };
}
