import { LineCounter, Composer, Lexer, Parser, type CST, type Document } from 'yaml';
import { shorten } from '../../json/go-print.js';
import { type BodyLimits, tooManyMembers } from '../body/parse-body.js';
import { membersWithin } from '../../json/member-count.js';
import { composedValue, type YamlResult } from './composed-value.js';

/**
 * Reads the first document of a YAML text as Kubernetes does (`sigs.k8s.io/yaml`): JSON is YAML, keys become strings,
 * dates stay strings, `<<` merges maps, the last of equal keys counts. An empty text is `null`. @throws StatusFailure
 * 413
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

/** The first fault and its offset, which is -1 for a fault of the whole text. */
export interface YamlFault {
  readonly message: string;
  readonly offset: number;
}

/** The most lexical tokens of a document, about 1,000 lines. The library spends 3 µs on each, without yielding. */
const MAX_TOKENS = 6_000;

const TOO_COMPLEX: YamlFault = { message: 'document is too complex', offset: -1 };

/** Characters that Go's library refuses anywhere in a text, also in comments. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\0-\x08\v\f\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** Tokens that are allowed between documents. */
const BETWEEN: ReadonlySet<string> = new Set(['byte-order-mark', 'space', 'comment', 'newline', 'doc-end']);

/** The library's composer, which reports all faults through this method. */
interface Reporting {
  onError: (source: SourceRange, code: string, message: string, warning?: boolean) => void;
}
type SourceRange = number | readonly [number, number] | { readonly offset: number };

/**
 * Composes the first document of a text. Stops at the first fault: the library would make an error with a stack trace
 * for each of thousands. `maxCharacters` are UTF-16 units; `onLine` gets the position where each line begins.
 */
function firstDocument(
  text: string,
  maxCharacters: number,
  onLine: (offset: number) => void,
): { readonly contents: Document.Parsed['contents'] | undefined } | YamlFault {
  if (text.length > maxCharacters) return TOO_COMPLEX;
  if (CONTROL.test(text)) return { message: 'control characters are not allowed', offset: -1 };
  // Tags are resolved by the rules of Go's library, from the texts.
  const options = { schema: 'failsafe', uniqueKeys: false, resolveKnownTags: false, prettyErrors: false } as const;
  const composer = new Composer(options);
  const broken = stopAtFault(composer);
  let tooComplex = false;

  function* tokens(): Generator<CST.Token> {
    const parser = new Parser(onLine);
    let pieces = 0;
    let documents = 0;
    onLine(0);
    for (const piece of new Lexer().lex(text)) {
      tooComplex = ++pieces > MAX_TOKENS;
      if (tooComplex) return;
      for (const token of parser.next(piece)) {
        if (token.type === 'document' || token.type === 'directive') {
          if (documents > 0) return;
          if (token.type === 'document') documents++;
        }
        yield token;
        if (isFault(token)) return;
      }
    }
    for (const token of parser.end()) {
      if (token.type !== 'document' || documents++ === 0) yield token;
    }
  }

  let found: Document.Parsed | undefined;
  try {
    [found] = composer.compose(tokens()) as Iterable<Document.Parsed>;
  } catch (error) {
    const fault = broken();
    if (fault) return fault;
    if (!(error instanceof RangeError)) throw error;
    return { message: error.message, offset: 0 };
  }
  if (tooComplex) return TOO_COMPLEX;
  const fault = found ? found.errors[0] : composer.streamInfo().errors[0];
  return fault ? { message: fault.message, offset: fault.pos[0] } : { contents: found?.contents };
}

const isFault = ({ type }: CST.Token): boolean => type !== 'document' && type !== 'directive' && !BETWEEN.has(type);

/** Makes the composer throw at the first fault, which the returned function returns. */
function stopAtFault(composer: Composer): () => YamlFault | undefined {
  let broken: YamlFault | undefined;
  const stop = new Error('stopped at the first fault');
  // Library code that catches this error reports it here again, and it is thrown again.
  const onError: Reporting['onError'] = (source, _code, message, warning) => {
    if (warning) return;
    broken ??= { message, offset: offsetOf(source) };
    throw stop;
  };
  (composer as unknown as Reporting).onError = onError;
  return () => broken;
}

function offsetOf(source: SourceRange): number {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : source[0];
}
