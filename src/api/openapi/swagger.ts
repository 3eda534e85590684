import type { ApiResponse } from '../../http/response.js';

const SWAGGER_TYPE = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/**
 * OpenAPI v2 for those who accept it as protobuf: an empty document. kubectl up to 1.28 gives up on create, apply and
 * explain when it cannot read one, and then takes all it needs from v3: no paths and no definitions are enough.
 */
export function swagger(accept: string): ApiResponse | undefined {
  if (!accept.includes(SWAGGER_TYPE)) return undefined;
  return {
    status: 200,
    headers: {
      'cache-control': 'no-cache, private',
      'content-type': SWAGGER_TYPE.replace('@', '.'),
      vary: 'Accept-Encoding, Accept',
    },
    body: emptyDocument(),
  };
}

/** openapi.v2.Document: swagger (1), info (2) with title (1) and version (2), paths (8). */
function emptyDocument(): Uint8Array {
  const text = new TextEncoder();
  const field = (tag: number, value: ArrayLike<number>): number[] => [
    (tag << 3) | 2,
    value.length,
    ...Array.from(value),
  ];
  const info = [...field(1, text.encode('Kubernetes')), ...field(2, text.encode('unversioned'))];
  return Uint8Array.from([...field(1, text.encode('2.0')), ...field(2, info), ...field(8, [])]);
}
