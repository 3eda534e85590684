import type { HostileRequest } from './contract.js';
import { COLLECTION, STORED, times } from './making.js';

/** More bytes of headers than a server accepts by default: a service can raise that limit. */
const HEADER_BYTES = 1_048_576;
/** About the longest target that is accepted. */
const TARGET_BYTES = 60_000;
/** The most bytes of headers that a server accepts by default. */
const USUAL_BYTES = 65_536;

const json = { accept: 'application/json' };

/** About the longest selector that is parsed. */
const SELECTOR_BYTES = 32_000;

/** Repeats `make(index)` up to a number of bytes. */
function many(make: (index: number) => string, bytes: number): string {
  let text = '';
  for (let index = 0; text.length < bytes; index++) text += make(index);
  return text.slice(0, bytes);
}

const token = (value: string): string => btoa(value).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Paths to which unauthenticated requests are sent. */
const PATHS: readonly (readonly [id: string, path: string])[] = [
  ['root', '/readyz'],
  ['check', '/livez/ping'],
  ['list', COLLECTION],
  ['item', `${COLLECTION}/${STORED}`],
];

const QUERIES: readonly (readonly [id: string, title: string, query: (bytes: number) => string])[] = [
  ['excludes', 'many exclude parameters', (bytes) => many((index) => `exclude=n${index}&`, bytes)],
  ['pairs', 'parameters of one letter', (bytes) => times('a&', bytes)],
  ['bad-escapes', 'parameters that are no UTF-8', (bytes) => times('%ff&', bytes)],
  ['escapes', 'one parameter of escapes that are no UTF-8', (bytes) => `a=${times('%ffa', bytes)}`],
  ['verbose', 'many verbose parameters', (bytes) => times('verbose&', bytes)],
  ['verbose-value', 'a verbose parameter of escapes', (bytes) => `verbose=${times('%c3%a9', bytes)}`],
  ['duration', 'a long duration', (bytes) => `timeout=${times('1h1m', bytes)}`],
  ['no-duration', 'a long text that is no duration', (bytes) => `timeout=${times('%c3%a9', bytes)}`],
  ['field-terms', 'a field selector of many terms', (bytes) => `fieldSelector=${times('type!=a,', bytes)}`],
  ['field-escapes', 'a field selector of backslashes', (bytes) => `fieldSelector=type=${times('%5C,', bytes)}`],
];

const HEADERS: readonly (readonly [id: string, title: string, name: string, value: (bytes: number) => string])[] = [
  ['accept', 'Accept of many clauses', 'accept', (bytes) => times('a/b,', bytes)],
  ['accept-parameters', 'Accept of many parameters', 'accept', (bytes) => `a/b${times(';q=1', bytes)}`],
  ['accept-encoding', 'Accept-Encoding of many tokens', 'accept-encoding', (bytes) => times('a,', bytes)],
  ['authorization', 'a long token', 'authorization', (bytes) => `Bearer ${times('x', bytes)}`],
  ['authorization-blanks', 'blanks before a token', 'authorization', (bytes) => `Bearer${times(' ', bytes)}x`],
  ['basic', 'long Basic credentials', 'authorization', (bytes) => `Basic ${times('QTpC', bytes)}`],
  ['basic-padding', 'Basic credentials of padding', 'authorization', (bytes) => `Basic ${times('=', bytes)}`],
  ['schemes', 'many schemes of authorization', 'authorization', (bytes) => times('Bearer ', bytes)],
  ['cookie', 'many cookies', 'cookie', (bytes) => times('a=b; ', bytes)],
  ['cookie-bare', 'cookies without values', 'cookie', (bytes) => times(';', bytes)],
  ['audit-id', 'a long Audit-Id', 'audit-id', (bytes) => times('x', bytes)],
  ['user-agent', 'a User-Agent that cannot be printed', 'user-agent', (bytes) => times('\x01', bytes)],
  ['impersonation', 'many groups to impersonate', 'impersonate-group', (bytes) => times('a, ', bytes)],
  ['impersonated-user', 'a long user to impersonate', 'impersonate-user', (bytes) => times('%ff', bytes)],
  ['impersonated-uid', 'a long uid to impersonate', 'impersonate-uid', (bytes) => times('x', bytes)],
  [
    'impersonated-extra',
    'a long extra to impersonate',
    'impersonate-extra-scopes.example.com%2fa',
    (bytes) => times('a, ', bytes),
  ],
  ['if-none-match', 'many entity tags', 'if-none-match', (bytes) => times('"a",', bytes)],
];

const SIZES: readonly (readonly [id: string, target: number, header: number])[] = [
  ['long', TARGET_BYTES, USUAL_BYTES],
  ['huge', HEADER_BYTES, HEADER_BYTES],
];

/**
 * Impersonated extras, which are names of headers: a thousand of them, and one whose name is as long as all of them.
 */
const EXTRAS: readonly (readonly [id: string, title: string, headers: (bytes: number) => Record<string, string>])[] = [
  [
    'extras',
    'many extras to impersonate',
    (bytes) => Object.fromEntries(Array.from({ length: bytes / 32 }, (_, i) => [`impersonate-extra-k${i}`, 'v'])),
  ],
  ['extra-name', 'the escaped name of an extra', (bytes) => ({ [`impersonate-extra-${times('%ff', bytes)}`]: 'v' })],
];

const beforeAuthentication: readonly HostileRequest[] = PATHS.flatMap(([where, path]) =>
  SIZES.flatMap(([size, bytes, headerBytes]) => [
    ...QUERIES.map(([id, title, query]): HostileRequest => ({
      id: `${where}-${id}-${size}`,
      title: `${title}, ${bytes} bytes, at ${path}`,
      authenticated: false,
      make: () => ({ method: 'GET', url: `${path}?${query(bytes)}`, headers: {} }),
    })),
    ...HEADERS.map(([id, title, name, value]): HostileRequest => ({
      id: `${where}-${id}-${size}`,
      title: `${title}, ${headerBytes} bytes, at ${path}`,
      authenticated: false,
      make: () => ({ method: 'GET', url: path, headers: { [name]: value(headerBytes) } }),
    })),
    ...EXTRAS.map(([id, title, headers]): HostileRequest => ({
      id: `${where}-${id}-${size}`,
      title: `${title}, ${headerBytes} bytes, at ${path}`,
      authenticated: false,
      make: () => ({ method: 'GET', url: path, headers: headers(headerBytes) }),
    })),
    {
      id: `${where}-path-${size}`,
      title: `a path of escapes, ${bytes} bytes, below ${path}`,
      authenticated: false,
      make: () => ({ method: 'GET', url: `${path}/${times('%ff/', bytes)}`, headers: {} }),
    },
  ]),
);

/** Lists by authenticated callers: an id, a title and the query. */
const LISTS: readonly (readonly [id: string, title: string, query: () => string])[] = [
  ['label-missing', '512 labels that must be missing', () => `labelSelector=${many((i) => `!k${i},`, 2_900)}`],
  [
    'label-terms',
    'a label selector of too many terms',
    () => `labelSelector=${many((i) => `!k${i},`, SELECTOR_BYTES)}`,
  ],
  ['label-values', 'a label selector of many values', () => `labelSelector=a in (${times('v,', SELECTOR_BYTES)})`],
  ['label-one-key', 'one key many times', () => `labelSelector=${many((i) => `a!=${i},`, 3_000)}a`],
  ['label-blanks', 'a label selector of blanks', () => `labelSelector=${times('+', SELECTOR_BYTES)}a`],
  ['label-bangs', 'a label selector of exclamation marks', () => `labelSelector=${times('!', SELECTOR_BYTES)}`],
  ['label-key', 'a label selector with a long key', () => `labelSelector=${times('a', SELECTOR_BYTES)}`],
  ['label-numbers', 'comparisons of numbers', () => `labelSelector=${many((i) => `a>${i},`, 3_000)}a`],
  ['field-terms', '512 terms of a field selector', () => `fieldSelector=${many((i) => `type!=${i},`, 5_000)}`],
  ['continue', 'a long token', () => `limit=1&continue=${times('A', TARGET_BYTES)}`],
  ['continue-json', 'a token of nested JSON', () => `limit=1&continue=${token(times('[', 6_000))}`],
  ['continue-key', 'a token with a long key', () => `limit=1&continue=${tokenAt('n'.repeat(6_000))}`],
  ['continue-slashes', 'a token whose key is slashes', () => `limit=1&continue=${tokenAt('a/'.repeat(3_000))}`],
  ['revision', 'a long resourceVersion', () => `resourceVersion=${times('9', TARGET_BYTES)}`],
  ['limit', 'a long limit', () => `limit=${times('9', TARGET_BYTES)}`],
  ['limit-most', 'the largest limit', () => `limit=9223372036854775807`],
  ['pretty', 'many pretty parameters', () => times('pretty=true&', 12_000)],
];

const tokenAt = (start: string): string => token(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start }));

const lists: readonly HostileRequest[] = LISTS.map(([id, title, query]) => ({
  id: `query-${id}`,
  title: `${title}, in a list`,
  authenticated: true,
  make: () => ({ method: 'GET', url: `${COLLECTION}?${query().replaceAll(' ', '+')}`, headers: json }),
}));

const authenticatedHeaders: readonly HostileRequest[] = [
  ...HEADERS.filter(([, , name]) => name !== 'authorization').map(([id, title, name, value]): HostileRequest => ({
    id: `header-${id}`,
    title: `${title}, ${HEADER_BYTES} bytes, in a list`,
    authenticated: true,
    make: () => ({ method: 'GET', url: COLLECTION, headers: { [name]: value(HEADER_BYTES) } }),
  })),
  {
    id: 'header-content-type',
    title: `a Content-Type of many parameters, ${HEADER_BYTES} bytes`,
    authenticated: true,
    make: () => ({
      method: 'POST',
      url: COLLECTION,
      headers: { 'content-type': `application/json${times(';a=b', HEADER_BYTES)}` },
      body: new TextEncoder().encode('{}'),
    }),
  },
];

const names: readonly HostileRequest[] = [
  ['long', 'n'.repeat(TARGET_BYTES)],
  ['nul', times('%00', TARGET_BYTES)],
  ['dots', times('.', TARGET_BYTES)],
  ['slashes', times('%2f', TARGET_BYTES)],
].map(([id = '', name = '']) => ({
  id: `name-${id}`,
  title: `a name of ${name.slice(0, 3)}, ${name.length} characters`,
  authenticated: true,
  make: () => ({ method: 'GET', url: `${COLLECTION}/${name}`, headers: json }),
}));

/** Headers, paths and queries that are as expensive as possible. */
export const hostileRequests: readonly HostileRequest[] = [
  ...beforeAuthentication,
  ...lists,
  ...authenticatedHeaders,
  ...names,
];
