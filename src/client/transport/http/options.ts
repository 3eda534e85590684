import type { Clock } from '../../../clock/clock.js';
import type { Caller } from '../../../model/caller.js';
import { checkOptions, type OptionRule, type OptionRules } from '../../../options/check-options.js';
import { httpUrl } from '../../../options/http-url.js';
import {
  aBoolean,
  aClock,
  aNonEmptyString,
  aNumber,
  anObject,
  aString,
  aWholeNumber,
  isNonEmptyString,
  mustBe,
  required,
} from '../../../options/rules.js';

/** How the server's certificate is checked, and the client's certificate. All PEM. */
export interface TlsOptions {
  /**
   * The authorities that are trusted, instead of those of the system. An intermediate authority or the certificate of
   * the server itself is trusted without the authority that signed it.
   */
  readonly ca?: string | undefined;
  /** The certificate of the client, with those of its intermediate authorities. Needs `key`. */
  readonly cert?: string | undefined;
  /** The key of the client's certificate. */
  readonly key?: string | undefined;
  /** The name that the server's certificate must be for, where it is not that of the address. */
  readonly serverName?: string | undefined;
  /**
   * Whether to skip all checks of the server's certificate. Anybody on the network path can then read and change
   * everything. Default: false.
   */
  readonly insecureSkipTlsVerify?: boolean | undefined;
}

/** The options of every transport over HTTP, wherever its server and credentials come from. */
export interface ConnectionSettings {
  /** Headers of every request, with names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /**
   * Whether to use HTTP/2 with servers that offer it over TLS. As over HTTP/1.1, each request and each watch has a
   * connection of its own. Default: false.
   */
  readonly http2?: boolean | undefined;
  /**
   * The maximum number of connections. A watch holds one for as long as it runs; further requests wait for a free one.
   * Default: 128.
   */
  readonly maxConnections?: number | undefined;
  /** How long a connection may take until it can be used, in milliseconds. Default: 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long an idle connection is kept, in milliseconds, unless the server announces less. Default: 4,000. */
  readonly keepAliveMs?: number | undefined;
  /**
   * The largest headers of a response, in bytes of names and values. Default: 16,384. From 1,024 to 1,048,576; over
   * HTTP/2, Node accepts at most 65,536 in any case.
   */
  readonly maxHeaderBytes?: number | undefined;
  /** The namespace of clients that name none. Default: the one that the configuration names, if any. */
  readonly namespace?: string | undefined;
  /** The clock by which files are read again. Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** Options of `httpTransport`. */
export interface HttpTransportOptions extends ConnectionSettings {
  /**
   * The address of the server, such as `https://10.0.0.1:6443`. A path before that of the API is kept, as of a proxy in
   * front of several clusters. It must contain no user name, query or fragment.
   */
  readonly server: string;
  /** TLS, for an `https:` server. */
  readonly tls?: TlsOptions | undefined;
  /**
   * A bearer token, or a function that gives the current one for each request. A request for which it fails is repeated
   * like one that does not reach the server.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** A file with a bearer token, read again at most once a minute and after a 401, as Kubernetes replaces it. */
  readonly tokenFile?: string | undefined;
  /** A user name and a password (RFC 7617). */
  readonly basicAuth?:
    | {
        /** The user name: not empty, and without `:`. */
        readonly username: string;
        /** The password; may be empty. */
        readonly password: string;
      }
    | undefined;
  /** The user whom requests impersonate; the caller needs the right to do so. Sent in UTF-8, as kubectl sends it. */
  readonly impersonate?: (Pick<Caller, 'name'> & Partial<Caller>) | undefined;
  /**
   * The address of an HTTP or HTTPS proxy; there is no SOCKS. Variables of the environment such as `HTTPS_PROXY` are
   * not read.
   */
  readonly proxyUrl?: string | undefined;
}

/** True for a text with something in PEM. Without a certificate in it, Node trusts nobody and blames the server. */
export const isPem = (value: unknown): boolean => typeof value === 'string' && value.includes('-----BEGIN ');
const aPem: OptionRule = /* @__PURE__ */ mustBe(isPem, 'a text in PEM');

const isServer = (value: unknown): boolean => {
  const url = httpUrl(value);
  return url !== undefined && url.username + url.password + url.search + url.hash === '';
};

const isProxy = (value: unknown): boolean => {
  const url = httpUrl(value);
  return url !== undefined && isPercentEncoded(url.username) && isPercentEncoded(url.password);
};

function isPercentEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

export const aServer: OptionRule = /* @__PURE__ */ mustBe(
  isServer,
  'an http or https URL without user name, query and fragment',
);
export const aProxy: OptionRule = /* @__PURE__ */ mustBe(isProxy, 'an http or https URL');

/** True for a text that a header can carry as a token. */
export const isToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);

const aToken: OptionRule = /* @__PURE__ */ mustBe(
  (value) => typeof value === 'function' || isToken(value),
  'a function or a non-empty string without spaces',
);

const RESERVED = ['authorization', 'content-length', 'transfer-encoding', 'host', 'connection', 'accept-encoding'];

const headers: OptionRule = (value, name) => {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [`${name} must be an object`];
  return Object.entries(value as object).flatMap(([key, content]) => {
    const path = `${name}[${JSON.stringify(key)}]`;
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) return [`${path}: header names must be in lower case`];
    if (RESERVED.includes(key)) return [`${path} is set by the transport`];
    const values: readonly unknown[] = Array.isArray(content) ? content : [content];
    // Their content may be secret, so that it is not repeated.
    const isText = (text: unknown): boolean => typeof text === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
    return values.every(isText) ? [] : [`${path} must be a string or a list of strings without control characters`];
  });
};

/** What a header cannot carry in UTF-8: control characters, and half of a surrogate pair. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;
/** True for a text that a header can carry, in UTF-8 where it is not ASCII. */
export const fitsHeader = (value: unknown): value is string => typeof value === 'string' && !UNFIT.test(value);

const isVisible = (value: unknown): boolean => value !== '' && fitsHeader(value);
const aVisibleString: OptionRule = /* @__PURE__ */ mustBe(isVisible, 'a non-empty string without control characters');

const isExtra = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(([key, texts]) => isVisible(key) && Array.isArray(texts) && texts.every(fitsHeader));

export const connectionRules = (): OptionRules<ConnectionSettings> => ({
  headers,
  http2: aBoolean,
  maxConnections: aWholeNumber(1, 65_536),
  connectTimeoutMs: aNumber(1, 600_000),
  keepAliveMs: aNumber(1, 600_000),
  maxHeaderBytes: aWholeNumber(1_024, 1_048_576),
  namespace: aNonEmptyString,
  clock: aClock,
});

const rules = (): OptionRules<HttpTransportOptions> => ({
  ...connectionRules(),
  server: required(aServer),
  tls: anObject<TlsOptions>(
    {
      ca: aPem,
      cert: aPem,
      key: aPem,
      serverName: aNonEmptyString,
      insecureSkipTlsVerify: aBoolean,
    },
    ({ ca, cert, key, insecureSkipTlsVerify }) => [
      (cert === undefined) !== (key === undefined) && 'tls.cert and tls.key belong together',
      insecureSkipTlsVerify && ca !== undefined && 'tls.ca checks nothing with tls.insecureSkipTlsVerify',
    ],
  ),
  token: aToken,
  tokenFile: aNonEmptyString,
  basicAuth: anObject<{ username: string; password: string }>({
    username: required(mustBe((value) => isNonEmptyString(value) && !value.includes(':'), 'a text without ":"')),
    password: required(aString),
  }),
  impersonate: anObject<Caller>({
    name: required(aVisibleString),
    uid: aVisibleString,
    groups: mustBe(
      (value) => Array.isArray(value) && value.every(isVisible),
      'a list of non-empty strings without control characters',
    ),
    extra: mustBe(isExtra, 'an object of lists of strings without control characters'),
  }),
  proxyUrl: aProxy,
});

/** @throws TypeError that lists every fault */
export function checkHttpTransportOptions(options: HttpTransportOptions): void {
  checkOptions('httpTransport', options, rules(), ({ server, tls, token, tokenFile, basicAuth }) => [
    [token, tokenFile, basicAuth].filter((way) => way !== undefined).length > 1 &&
      'token, tokenFile and basicAuth exclude each other',
    tls !== undefined && typeof server === 'string' && server.startsWith('http:') && 'tls is for an https server',
  ]);
}
