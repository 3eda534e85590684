import { systemClock, type Clock } from '../../clock/clock.js';
import { clauseCovers, parseAccept } from '../../http/accept.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse, ResponseHeaders } from '../../http/response.js';
import { entityTag } from '../discovery/plain.js';
import type { Json } from './schemas.js';
import { swaggerDocument } from './swagger-document.js';
import { swaggerProtobuf } from './swagger-protobuf.js';
import { NOT_CACHED } from '../../responses/fixed-responses.js';

/** Options of {@link createOpenApi}. */
export interface OpenApiOptions {
  /** The documents by their path below `/openapi/v3/`: `apis/events.example.com/v1`. Made on first request. */
  readonly documents: ReadonlyMap<string, () => Json>;
  readonly clock?: Clock | undefined;
}

/** Serves OpenAPI documents. */
export interface OpenApi {
  /**
   * Answers `/openapi/v3`, `/openapi/v3/…` and `/openapi/v2`; undefined for any other path. The caller's right to read is
   * checked before.
   */
  handle(
    path: string,
    query: ReadonlyMap<string, readonly string[]>,
    request: Pick<ApiRequest, 'headers'>,
  ): Promise<ApiResponse | undefined>;
}

const ROOT = '/openapi/v3';
const V2 = '/openapi/v2';
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const JSON_TYPE = 'application/json';
const DAY_MS = 86_400_000;

interface Served {
  readonly bytes: Uint8Array;
  /** In quotes. */
  readonly tag: string;
}

/**
 * Serves OpenAPI v3 the way Kubernetes does: an index whose links carry the hash of each document, and documents that may
 * be cached forever with the right hash, are redirected with a wrong one, and are validated by ETag without one. Of v3 only
 * JSON is offered; v2, for older clients, is one document with the content of all others, in JSON and in protobuf.
 */
export function createOpenApi({ documents, clock = systemClock }: OpenApiOptions): OpenApi {
  const made = new Map<string, Promise<Served>>();
  const remembered = (name: string, make: () => object | Promise<object>, write = jsonOf): Promise<Served> => {
    const known = made.get(name) ?? Promise.resolve(make()).then(write).then(serve);
    made.set(name, known);
    return known;
  };
  const all = (): Json => swaggerDocument([...documents.values()].map((make) => make()));
  const swagger = (accept: string): Promise<Swagger> | undefined => {
    const type = swaggerType(accept);
    if (type === undefined) return undefined;
    const write = type === JSON_TYPE ? jsonOf : swaggerProtobuf;
    return remembered(`${V2} ${type}`, all, write as Write).then((served) => ({ served, type }));
  };
  const document = (name: string, make: () => object): Promise<Served> => remembered(`${ROOT}/${name}`, make);
  const index = (): Promise<Served> => remembered(ROOT, () => makeIndex(documents, document));
  return {
    async handle(path, query, request) {
      if (path === V2) {
        const vary = 'Accept-Encoding, Accept';
        const found = await swagger(valueOf(request, 'accept'));
        if (found === undefined) return notAcceptable(vary);
        return whole(found.served, request, { ...NOT_CACHED, vary }, found.type);
      }
      if (path === ROOT) return whole(await index(), request, NOT_CACHED);
      if (!path.startsWith(`${ROOT}/`)) return undefined;
      const name = path.slice(ROOT.length + 1);
      const make = documents.get(name);
      // kube-apiserver returns an empty document for unknown groups.
      if (!make) return { status: 200, headers: NOT_CACHED, body: null };
      if (!acceptsJson(request)) return notAcceptable('Accept');
      const served = await document(name, make);
      const hash = query.get('hash')?.[0] ?? '';
      const headers = { ...NOT_CACHED, vary: 'Accept' };
      if (hash === '') return whole(served, request, headers);
      if (hash !== hashOf(served)) {
        const location = linkTo(name, served);
        return {
          status: 301,
          headers: { ...headers, 'content-type': JSON_TYPE, etag: served.tag, location },
          body: null,
        };
      }
      const expires = new Date(clock.now() / 1000 + 365 * DAY_MS).toUTCString();
      return whole(served, request, { vary: 'Accept', 'cache-control': 'public, immutable', expires });
    },
  };
}

type Write = (document: object) => Uint8Array | Promise<Uint8Array>;

const jsonOf: Write = (document) => new TextEncoder().encode(JSON.stringify(document));

async function serve(bytes: Uint8Array): Promise<Served> {
  return { bytes, tag: await entityTag(bytes) };
}

interface Swagger {
  readonly served: Served;
  readonly type: string;
}

/** As clients write it; the response has a dot in place of the `@`, which is not allowed in media types. */
const PROTOBUF_TYPES = ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', PROTOBUF_TYPE];

/** The preferred type of Accept; undefined if it names none of them. */
function swaggerType(accept: string): string | undefined {
  if (accept.trim() === '') return JSON_TYPE;
  for (const clause of parseAccept(accept)) {
    if (clauseCovers(clause, JSON_TYPE)) return JSON_TYPE;
    if (PROTOBUF_TYPES.some((type) => clauseCovers(clause, type))) return PROTOBUF_TYPE;
  }
  return undefined;
}

async function makeIndex(
  documents: OpenApiOptions['documents'],
  document: (name: string, make: () => object) => Promise<Served>,
): Promise<object> {
  const paths: Record<string, object> = {};
  for (const [name, make] of [...documents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    paths[name] = { serverRelativeURL: linkTo(name, await document(name, make)) };
  }
  return { paths };
}

const hashOf = ({ tag }: Served): string => tag.slice(1, -1);
const linkTo = (name: string, served: Served): string => `${ROOT}/${name}?hash=${hashOf(served)}`;

function whole(
  { bytes, tag }: Served,
  request: Pick<ApiRequest, 'headers'>,
  headers: ResponseHeaders,
  type = JSON_TYPE,
): ApiResponse {
  if (namesTag(valueOf(request, 'if-none-match'), tag)) {
    return { status: 304, headers: { ...headers, etag: tag }, body: null };
  }
  return { status: 200, headers: { ...headers, 'content-type': type, etag: tag }, body: bytes };
}

/** The longest list of tags that is read. */
const MAX_TAGS = 8_192;

function namesTag(header: string, tag: string): boolean {
  return (
    header.length <= MAX_TAGS &&
    header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag)
  );
}

function acceptsJson(request: Pick<ApiRequest, 'headers'>): boolean {
  const accept = valueOf(request, 'accept');
  return accept.trim() === '' || parseAccept(accept).some((clause) => clauseCovers(clause, JSON_TYPE));
}

function valueOf({ headers }: Pick<ApiRequest, 'headers'>, name: string): string {
  const value = headers?.[name] ?? '';
  return typeof value === 'string' ? value : value.join(',');
}

const notAcceptable = (vary: string): ApiResponse => ({ status: 406, headers: { ...NOT_CACHED, vary }, body: null });
