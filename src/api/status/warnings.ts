/** All texts together may have this many characters; beyond it each is cut, and what still does not fit is left out. */
const TOTAL = 4096;
const EACH_WHEN_CUT = 256;

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Values of `Warning` headers (RFC 7234 5.5, code 299): each text once, without those that no header can carry. Text that
 * is not ASCII goes as the bytes of its UTF-8, which is what Kubernetes' clients read.
 */
export function warningHeader(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return texts;
  const distinct = [...new Set(texts)].filter((text) => text !== '' && !CONTROL.test(text));
  return withinBudget(distinct).map((text) => `299 - "${bytesAsText(text.replace(/[\\"]/g, '\\$&'))}"`);
}

function withinBudget(texts: readonly string[]): readonly string[] {
  const lengths = texts.map((text) => [...text].length);
  if (lengths.reduce((sum, length) => sum + length, 0) <= TOTAL) return texts;
  let left = TOTAL;
  return texts
    .map((text) => [...text].slice(0, EACH_WHEN_CUT))
    .filter((runes) => {
      if (runes.length > left) return false;
      left -= runes.length;
      return true;
    })
    .map((runes) => runes.join(''));
}

const encoder = new TextEncoder();

function bytesAsText(text: string): string {
  let out = '';
  for (const byte of encoder.encode(text)) out += String.fromCharCode(byte);
  return out;
}
