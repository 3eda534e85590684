/** Indents compact JSON as Go does, on the text: numbers and order stay. `level`: the depth of the value. */
export function indentJson(text: string, level: number): string {
  let out = '';
  let copied = 0;
  let depth = level;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (char === '"') {
      i = closingQuote(text, i);
      continue;
    }
    if (char === '{' || char === '[') {
      const next = text[i + 1];
      if (next === '}' || next === ']') {
        i += 1;
        continue;
      }
      depth += 1;
      out += `${text.slice(copied, i + 1)}\n${'  '.repeat(depth)}`;
    } else if (char === '}' || char === ']') {
      depth -= 1;
      out += `${text.slice(copied, i)}\n${'  '.repeat(depth)}${char}`;
    } else if (char === ',') {
      out += `${text.slice(copied, i + 1)}\n${'  '.repeat(depth)}`;
    } else if (char === ':') {
      out += `${text.slice(copied, i + 1)} `;
    } else {
      continue;
    }
    copied = i + 1;
  }
  return out + text.slice(copied);
}

function closingQuote(text: string, opening: number): number {
  let i = opening + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
