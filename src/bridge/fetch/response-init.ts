import type { ResponseHeaders } from '../../http/response.js';

export interface PlainHeaders {
  readonly values: Record<string, string>;
  /** The values of the only header whose values cannot be joined into one line. */
  readonly cookies: readonly string[];
}

const COOKIES = 'set-cookie';

/** Joins the values of a header into one, as `Headers` does. */
export function plainHeaders(headers: ResponseHeaders): PlainHeaders {
  const values: Record<string, string> = {};
  let cookies: readonly string[] = [];
  for (const given of Object.keys(headers)) {
    const name = given.toLowerCase();
    // A number, as Node takes it, where a service writes its handlers in JavaScript.
    const value = headers[given] as string | number | readonly string[] | null | undefined;
    if (value === undefined || value === null) throw new TypeError(`the header ${name} has no value: leave it out`);
    const text = typeof value === 'object' ? value.join(', ') : String(value);
    if (name === COOKIES) cookies = [...cookies, ...(typeof value === 'object' ? value : [text])];
    else values[name] = Object.hasOwn(values, name) ? `${values[name]}, ${text}` : text;
  }
  return { values, cookies };
}

/**
 * The headers are a plain object: a `Headers` would be copied by every `Response`, and that of Hono's adapter for Node
 * creates none until they are read. Without `encodeBody`, Cloudflare Workers compress a compressed body once more.
 */
export function responseInit(
  status: number,
  { values, cookies }: PlainHeaders,
): ResponseInit & { readonly encodeBody?: 'manual' } {
  const headers = cookies.length === 0 ? values : withCookies(values, cookies);
  return 'content-encoding' in values ? { status, headers, encodeBody: 'manual' } : { status, headers };
}

function withCookies(values: Record<string, string>, cookies: readonly string[]): Headers {
  const headers = new Headers(values);
  for (const cookie of cookies) headers.append(COOKIES, cookie);
  return headers;
}
