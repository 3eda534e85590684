/** What moves the cursor, changes colours or title, or reorders text: controls, line separators, bidi marks. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string): string =>
  SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Untrusted text in one line: characters that control a terminal become JSON escape sequences. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** The same for a JSON or YAML document, where such characters occur only in double quotes; its own line ends stay. */
export function safeDocument(text: string): string {
  return text.replace(UNSAFE, (character) => (character === '\n' ? character : escaped(character)));
}

/** True for text that has to be quoted to be written in a document. */
export function isUnsafe(text: string): boolean {
  return text.search(UNSAFE) >= 0;
}
