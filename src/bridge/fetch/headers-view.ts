import type { RequestHeaders } from '../../http/request.js';

/**
 * The headers of a Request as a record in which each header is looked up when it is read. On Hono's server for Node, listing
 * all headers takes 5 µs and looking one up 0.2: few requests need more than three.
 */
export function headersView(headers: Headers): RequestHeaders {
  return new Proxy(headers, LOOKUPS) as unknown as RequestHeaders;
}

const LOOKUPS: ProxyHandler<Headers> = {
  get: (headers, name) => valueOf(headers, name),
  has: (headers, name) => valueOf(headers, name) !== undefined,
  ownKeys: (headers) => [...headers.keys()],
  getOwnPropertyDescriptor(headers, name) {
    const value = valueOf(headers, name);
    return value === undefined ? undefined : { value, enumerable: true, configurable: true };
  },
  getPrototypeOf: () => null,
  set: () => false,
};

function valueOf(headers: Headers, name: string | symbol): string | undefined {
  if (typeof name === 'symbol') return undefined;
  try {
    return headers.get(name) ?? undefined;
  } catch {
    // No header can have this name.
    return undefined;
  }
}
