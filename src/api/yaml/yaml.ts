import type { CST, Document } from 'yaml';
import { shorten } from '../../http/shorten.js';
import { composedValue, type YamlResult } from './composed-value.js';
import { writeYaml } from './write-yaml.js';

/** Loads the YAML library: only a request that speaks YAML pays for it. */
const library = (): Promise<typeof import('yaml')> => import('yaml');

/** A document may have this many lexical pieces (about 15,000 lines): the library spends microseconds on each. */
const MAX_PIECES = 100_000;

/**
 * Reads the first document of a YAML text as Kubernetes does (`sigs.k8s.io/yaml`): JSON is YAML, `yes`, `on` and their
 * kin are booleans, keys become strings, dates stay strings, the last of equal keys counts. Nothing at all is `null`.
 * Size, depth and the growth by aliases are bounded; merge keys (`<<`) are ordinary keys.
 */
export async function parseYaml(text: string): Promise<YamlResult> {
  const yaml = await library();
  const lines = new yaml.LineCounter();
  const parser = new yaml.Parser(lines.addNewLine);
  const composer = new yaml.Composer({ schema: 'failsafe', uniqueKeys: false, merge: false, prettyErrors: false });
  let pieces = 0;
  function* tokens(): Generator<CST.Token> {
    lines.addNewLine(0);
    for (const piece of new yaml.Lexer().lex(text)) {
      if (++pieces > MAX_PIECES) return;
      yield* parser.next(piece);
    }
    yield* parser.end();
  }
  let document: Document.Parsed | undefined;
  try {
    for (const composed of composer.compose(tokens())) {
      document = composed as Document.Parsed;
      break;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { error: 'yaml: exceeded max depth' };
  }
  if (pieces > MAX_PIECES) return { error: 'yaml: document is too complex' };
  const lineOf = (offset: number): number => lines.linePos(offset).line;
  const broken = document?.errors[0];
  if (!broken) return composedValue(yaml, document?.contents ?? null, lineOf);
  // The library recurses into nested collections, and reports it like this when it could go no further.
  if (broken.message.includes('call stack')) return { error: 'yaml: exceeded max depth' };
  return { error: `yaml: line ${lineOf(broken.pos[0])}: ${shorten(broken.message)}` };
}

/** Writes a value as YAML in the layout of `sigs.k8s.io/yaml`: keys sorted, two spaces, lists not indented. */
export async function toYaml(value: unknown): Promise<string> {
  return writeYaml(value);
}
