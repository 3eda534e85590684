import type { Representation } from '../api/representation/contract.js';
import type { ApiResponse } from '../http/response.js';
import type { Result } from './verbs/call.js';

/** The response for what a verb handed back. `release` gives the place of a watch back when it ends. */
export function rendered(
  representation: Representation,
  result: Result,
  release: () => void,
): ApiResponse | Promise<ApiResponse> {
  switch (result.kind) {
    case 'object':
      return representation.object(result.json, result.status);
    case 'list':
      return representation.list(result.meta, result.batches, result.memory);
    case 'status':
      return representation.status(result.status, 200);
    case 'watch':
      return streamed(representation, result, release);
  }
}

async function streamed(
  representation: Representation,
  result: Extract<Result, { readonly kind: 'watch' }>,
  release: () => void,
): Promise<ApiResponse> {
  return {
    status: 200,
    headers: { 'content-type': representation.streamType },
    body: result.frames(await representation.frames(), release),
  };
}
