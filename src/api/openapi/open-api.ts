import { systemClock, type Clock } from '../../clock/clock.js';
import { clauseCovers, parseAccept } from '../../http/accept.js';
import { headerValues } from '../../http/headers.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse, ResponseHeaders } from '../../http/response.js';
import type { Query } from '../../http/url.js';
import { cachedDocument, type CachedDocument } from '../discovery/documents.js';
import type { Json } from './schemas.js';
import { swaggerDocument } from './swagger-document.js';
import { NOT_CACHED } from '../../responses/fixed-responses.js';

/** Serves `/openapi/v3`, paths below it and `/openapi/v2`; undefined for others. Access is checked before. */
type OpenApi = (path: string, query: Query, request: Pick<ApiRequest, 'headers'>) => Promise<ApiResponse | undefined>;

const ROOT = '/openapi/v3';
const V2 = '/openapi/v2';
const JSON_TYPE = 'application/json';
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** Clients write a `@`, which is not allowed in media types; the response has a dot in its place. */
const V2_TYPES = [JSON_TYPE, PROTOBUF_TYPE.replace('v2.v1.0', 'v2@v1.0'), PROTOBUF_TYPE];
const YEAR_MS = 365 * 86_400_000;

/**
 * Serves OpenAPI as Kubernetes does. Links of the v3 index carry the hash of each document: with it a document may be
 * cached forever, a wrong one redirects. Of v3 only JSON is offered; v2, for older clients, has all documents in one.
 *
 * @param documents by their path below `/openapi/v3/`: `apis/events.example.com/v1`; made on first request
 */
export function createOpenApi(documents: ReadonlyMap<string, () => Json>, clock: Clock = systemClock): OpenApi {
  const pages = new Map([...documents].map(([name, make]) => [name, cachedDocument(make)]));
  const index = cachedDocument(() => makeIndex(pages));
  const all = (): Json => swaggerDocument([...documents.values()].map((make) => make()));
  const swagger = { json: cachedDocument(all), protobuf: cachedDocument(all, inProtobuf) };
  return async (path, query, request) => {
    if (path === V2) {
      const headers = { ...NOT_CACHED, vary: 'Accept-Encoding, Accept' };
      const type = chosenType(request, V2_TYPES);
      if (type === undefined) return { status: 406, headers, body: null };
      if (type === JSON_TYPE) return whole(swagger.json, request, headers);
      return whole(swagger.protobuf, request, headers, PROTOBUF_TYPE);
    }
    if (path === ROOT) return whole(index, request, NOT_CACHED);
    if (!path.startsWith(`${ROOT}/`)) return undefined;
    const name = path.slice(ROOT.length + 1);
    const page = pages.get(name);
    // kube-apiserver returns an empty document for unknown groups.
    if (!page) return { status: 200, headers: NOT_CACHED, body: null };
    const vary = 'Accept';
    const headers = { ...NOT_CACHED, vary };
    if (chosenType(request, [JSON_TYPE]) === undefined) return { status: 406, headers, body: null };
    const hash = query.get('hash')?.[0] ?? '';
    if (hash === '') return whole(page, request, headers);
    const etag = await page.tag();
    if (hash !== hashOf(etag)) {
      const location = linkTo(name, etag);
      return { status: 301, headers: { ...headers, 'content-type': JSON_TYPE, etag, location }, body: null };
    }
    const expires = new Date(clock.now() / 1000 + YEAR_MS).toUTCString();
    return whole(page, request, { vary, 'cache-control': 'public, immutable', expires });
  };
}

const inProtobuf = async (document: Json): Promise<Uint8Array> =>
  (await import('./swagger-protobuf.js')).swaggerProtobuf(document);

function chosenType(request: Pick<ApiRequest, 'headers'>, offered: readonly string[]): string | undefined {
  const accept = headerValues(request, 'accept').join(',');
  if (accept.trim() === '') return offered[0];
  for (const clause of parseAccept(accept)) {
    const found = offered.find((type) => clauseCovers(clause, type));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function makeIndex(pages: ReadonlyMap<string, CachedDocument>): Promise<object> {
  const paths: Record<string, object> = {};
  for (const [name, page] of [...pages].sort(([a], [b]) => (a < b ? -1 : 1))) {
    paths[name] = { serverRelativeURL: linkTo(name, await page.tag()) };
  }
  return { paths };
}

const hashOf = (tag: string): string => tag.slice(1, -1);
const linkTo = (name: string, tag: string): string => `${ROOT}/${name}?hash=${hashOf(tag)}`;

async function whole(
  document: CachedDocument,
  request: Pick<ApiRequest, 'headers'>,
  headers: ResponseHeaders,
  type = JSON_TYPE,
): Promise<ApiResponse> {
  const etag = await document.tag();
  if (namesTag(headerValues(request, 'if-none-match').join(','), etag)) {
    return { status: 304, headers: { ...headers, etag }, body: null };
  }
  return { status: 200, headers: { ...headers, 'content-type': type, etag }, body: await document.bytes() };
}

/** The longest list of tags that is read, in UTF-16 units. */
const MAX_TAGS = 8_192;

function namesTag(header: string, tag: string): boolean {
  return (
    header.length <= MAX_TAGS &&
    header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag)
  );
}
