/** The most characters of all texts. Beyond it each is truncated, and those that still do not fit are omitted. */
const TOTAL = 4096;
const EACH_WHEN_CUT = 256;

// eslint-disable-next-line no-control-regex -- it looks for control characters
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Values of `Warning` headers (RFC 7234 5.5, code 299), each once; UTF-8 as Latin-1, for Kubernetes' clients. */
export function warningHeader(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return texts;
  const distinct = [...new Set(texts)].filter((text) => text !== '' && !CONTROL.test(text));
  return withinBudget(distinct).map((text) => {
    const bytes = new TextEncoder().encode(text.replace(/[\\"]/g, '\\$&'));
    return `299 - "${String.fromCharCode(...bytes)}"`;
  });
}

function withinBudget(texts: readonly string[]): readonly string[] {
  // No character has more than two units, so that a longer beginning would exceed the total as well.
  const characters = texts.map((text) => [...text.slice(0, 2 * TOTAL + 1)]);
  if (characters.flat().length <= TOTAL) return texts;
  let left = TOTAL;
  return characters
    .map((runes) => runes.slice(0, EACH_WHEN_CUT))
    .filter((runes) => {
      if (runes.length > left) return false;
      left -= runes.length;
      return true;
    })
    .map((runes) => runes.join(''));
}
