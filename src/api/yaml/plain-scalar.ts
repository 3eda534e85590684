import { decodeUtf8, encodeUtf8 } from '../../json/utf8.js';
const UNDERSCORE = 0x5f;

/** Reads an unquoted scalar as Go's YAML 1.1 library does: old booleans, numbers of any base; dates stay text. */
export function plainScalar(text: string): string | number | boolean | null {
  const word = wordOf(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  return numberOf(text) ?? text;
}

/** True for a text that needs quotes to stay text. */
export function isAmbiguous(text: string): boolean {
  return typeof plainScalar(text) !== 'string' || isTimestamp(text) || isBase60(text) || text === '<<';
}

const MAX_BOOLEAN_LENGTH = 5;
const TRUE = /^(?:y|yes|true|on)$/i;
const FALSE = /^(?:n|no|false|off)$/i;
/** A word has one of three spellings: lower case, capitalized, upper case. */
const SPELLED = /^(?:[a-z]+|[A-Z][a-z]*|[A-Z]+)$/;

function booleanOf(text: string): boolean | undefined {
  if (text.length > MAX_BOOLEAN_LENGTH || !SPELLED.test(text)) return undefined;
  return TRUE.test(text) || (FALSE.test(text) ? false : undefined);
}

function wordOf(text: string): boolean | number | null | undefined {
  if (text === '' || text === '~' || text === 'null' || text === 'Null' || text === 'NULL') return null;
  if (/^\.(?:nan|NaN|NAN)$/.test(text)) return NaN;
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return booleanOf(text);
}

function numberOf(text: string): number | undefined {
  const spaced = text.includes('_');
  if (spaced && text.startsWith('.')) return undefined;
  const plain = spaced ? withoutUnderscores(text) : text;
  const integer = basedInteger(plain);
  if (integer !== undefined) return integer;
  if (!/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(plain)) return undefined;
  const number = Number(plain);
  return Number.isFinite(number) ? number : undefined;
}

/** The largest integer by its sign. Go's library reads a larger one as a decimal number, or as text if it is none. */
const LARGEST: Readonly<Record<string, bigint>> = {
  '': 0xffff_ffff_ffff_ffffn,
  '+': 0x7fff_ffff_ffff_ffffn,
  '-': 0x8000_0000_0000_0000n,
};

function basedInteger(plain: string): number | undefined {
  const match = /^([-+]?)(?:(0[xX][0-9a-fA-F]+|0[bB][01]+)|0[oO]?([0-7]+))$/.exec(plain);
  if (!match) return undefined;
  const [, sign = '', literal, octal] = match;
  const value = BigInt(literal ?? `0o${octal}`);
  if (value > (LARGEST[sign] ?? 0n)) return undefined;
  return Number(sign === '-' ? -value : value);
}

/** `replaceAll` takes 100 ns for each underscore, of which there may be a million. */
function withoutUnderscores(text: string): string {
  // Any other text is not a number, with underscores or without.
  if (!/^[-+.0-9a-zA-Z_]*$/.test(text)) return text;
  const bytes = encodeUtf8(text);
  let length = 0;
  // An iterator over the bytes takes three times as long before V8 has compiled the loop.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte !== UNDERSCORE) bytes[length++] = byte;
  }
  return decodeUtf8(bytes.subarray(0, length));
}

/** True for the forms of dates that Go's library recognizes, with plausible numbers. */
function isTimestamp(text: string): boolean {
  const match = /^\d{4}-(\d\d?)-(\d\d?)(?:(?:[Tt](.*)(?:Z|[-+]\d\d:\d\d))| (.*))?$/.exec(text);
  if (!match) return false;
  const [, month, day, zoned, local] = match;
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return false;
  const clock = zoned ?? local;
  if (clock === undefined) return true;
  const parts = /^(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?$/.exec(clock);
  return parts !== null && Number(parts[1]) < 24 && Number(parts[2]) < 60 && Number(parts[3]) < 60;
}

/** True for numbers of base 60, which are part of YAML 1.1: Go's library quotes them for other readers. */
function isBase60(text: string): boolean {
  return text.includes(':') && /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);
}
