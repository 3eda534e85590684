/** The kind of a token. `in` and `notin` are words wherever no operator is expected. */
export type LabelTokenKind = '' | 'word' | 'in' | 'notin' | '!' | '=' | '==' | '!=' | '>' | '<' | '(' | ')' | ',';

/** One token of a label selector; the kind `''` is the end. */
export interface LabelToken {
  readonly kind: LabelTokenKind;
  readonly text: string;
}

const BLANK = ' \t\r\n';
const SYMBOLS = '=!(),><';
const END: LabelToken = { kind: '', text: '' };

/**
 * Splits a label selector into tokens, the last one being the end. A NUL character ends a word and, where a token would
 * begin, the selector (Kubernetes behaviour).
 */
export function labelTokens(selector: string): readonly LabelToken[] {
  const tokens: LabelToken[] = [];
  let at = 0;
  for (;;) {
    while (at < selector.length && BLANK.includes(selector.charAt(at))) at++;
    const character = selector.charAt(at);
    if (character === '' || character === '\0') return [...tokens, END];
    if (SYMBOLS.includes(character)) {
      const text =
        selector.startsWith('==', at) || selector.startsWith('!=', at) ? selector.slice(at, at + 2) : character;
      tokens.push({ kind: text as LabelTokenKind, text });
      at += text.length;
      continue;
    }
    const start = at;
    while (at < selector.length && !endsWord(selector.charAt(at))) at++;
    const text = selector.slice(start, at);
    tokens.push({ kind: text === 'in' || text === 'notin' ? text : 'word', text });
    if (selector.charAt(at) === '\0') at++;
  }
}

function endsWord(character: string): boolean {
  return BLANK.includes(character) || SYMBOLS.includes(character) || character === '\0';
}
