import { toBase64 } from '../../http/bytes.js';
import { badRequest } from '../status/failures.js';
import { encodeUtf8 } from '../../json/utf8.js';

/** Where a list continues: in the state at `revision` (-1: the latest), strictly after `start`. */
export interface ContinueToken {
  readonly revision: number;
  /** In a list with the newest first: it continues below this revision, that of `start`. */
  readonly below?: number | undefined;
  /** Relative to the listed collection: `NAME` inside one namespace, `NAMESPACE/NAME` over all. */
  readonly start: string;
}

/** The longest token that is read; the longest written one has some 2,200 characters: 253 bytes that JSON escapes. */
const MAX_LENGTH = 8_192;

const VERSION = 'meta.k8s.io/v1';

/** More than any name may have after its first characters: names have at most 253 bytes. */
const LAST_CHARACTERS = '\u{10ffff}'.repeat(64);

/** Returns a position before `key`. No event lies between it and the event with that key. */
export function positionBefore(key: string): string {
  const last = key.length - 1;
  return key.slice(0, last) + String.fromCharCode(key.charCodeAt(last) - 1) + LAST_CHARACTERS;
}

/** Writes a token in Kubernetes' format, which clients treat as opaque. */
export function writeContinueToken(token: ContinueToken): string {
  const { revision, start, below } = token;
  const json = JSON.stringify({ v: VERSION, rv: revision, start: `${start}\0`, below });
  return toBase64(encodeUtf8(json)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Reads a token that came from a client. @throws StatusFailure 400 with kube-apiserver's texts */
export function readContinueToken(text: string): ContinueToken {
  const { v, rv, start, below } = (parse(text) ?? {}) as Readonly<Record<'v' | 'rv' | 'start' | 'below', unknown>>;
  const version = typeof v === 'string' ? v : '';
  if (version !== VERSION) throw wrongToken(`server does not recognize this encoded version ${version}`);
  if (typeof rv !== 'number' || !Number.isInteger(rv) || rv === 0) {
    throw wrongToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  if (typeof start !== 'string' || start === '') {
    throw wrongToken('encoded start key empty (version meta.k8s.io/v1)');
  }
  // The first key to list: `NAME\0`, which directly follows NAME, in all tokens of a server.
  const key = start.endsWith('\0') ? start.slice(0, -1) : start;
  if (key.split('/').some((part) => part === '' || part === '.' || part === '..')) throw wrongToken(start);
  if (below !== undefined && !(Number.isSafeInteger(below) && (below as number) > 0)) throw wrongToken(start);
  return {
    revision: Math.min(rv, Number.MAX_SAFE_INTEGER),
    start: key === start ? positionBefore(key) : key,
    below: below as number | undefined,
  };
}

function parse(text: string): unknown {
  if (text.length > MAX_LENGTH) throw wrongToken('the token is too long');
  const wrong = text.search(/[^A-Za-z0-9_-]/);
  if (wrong >= 0) throw wrongToken(`illegal base64 data at input byte ${wrong}`);
  if (text.length % 4 === 1) throw wrongToken(`illegal base64 data at input byte ${text.length - 1}`);
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw wrongToken('the token is not JSON');
  }
}

const wrongToken = (why: string): Error => badRequest(`invalid continue token: continue key is not valid: ${why}`);
