/** Characters that Go prints unescaped: letters, marks, numbers, punctuation, symbols, and of the spaces only U+0020. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** In the order of their escape letters. */
const SHORT = '\u0007\b\f\n\r\t\v"\\';
const LETTERS = 'abfnrtv"\\';

/** Fast path: texts of these characters are written unescaped. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A string in double quotes as Go's `%q` writes it. */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text) {
    const short = SHORT.indexOf(character);
    if (short >= 0) quoted += `\\${LETTERS[short]}`;
    else quoted += PRINTABLE.test(character) ? character : escaped(character);
  }
  return `${quoted}"`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
