/** A text, and where the next character is read. */
export interface TextReader {
  readonly text: string;
  at: number;
}

/** `}` */
export const CLOSE = 0x7d;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Whether this comes next; if so it is behind. */
export function opened(reader: TextReader, opening: string): boolean {
  if (!reader.text.startsWith(opening, reader.at)) return false;
  reader.at += opening.length;
  return true;
}

/** The text up to the next quote (there always is one), if this comes before; `opening` ends with a quote. */
export function quotedText(reader: TextReader, opening: string): string | undefined {
  const { text } = reader;
  if (!text.startsWith(opening, reader.at)) return undefined;
  const start = reader.at + opening.length;
  const end = text.indexOf('"', start);
  reader.at = end + 1;
  return text.slice(start, end);
}

/** The digits that follow this, as a number. Integers are written as `JSON.stringify` does it: digits up to 21 of them. */
export function integer(reader: TextReader, opening: string): number | undefined {
  const { text } = reader;
  if (!text.startsWith(opening, reader.at)) return undefined;
  const start = reader.at + opening.length;
  let end = text.charCodeAt(start) === MINUS ? start + 1 : start;
  while (text.charCodeAt(end) >= ZERO && text.charCodeAt(end) <= NINE) end++;
  reader.at = end;
  return Number(text.slice(start, end));
}
