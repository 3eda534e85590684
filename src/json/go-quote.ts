/** What Go prints as it is: letters, marks, numbers, punctuation, symbols, and of the blanks only U+0020. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** In the order of the letters that stand for them. */
const SHORT = '\u0007\b\f\n\r\t\v"\\';
const LETTERS = 'abfnrtv"\\';

/** What nearly all texts consist of, and is written as it is. */
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
