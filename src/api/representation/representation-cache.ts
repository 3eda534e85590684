import type { RequestHeaders } from '../../http/request.js';
import { isHumanClient } from './choice.js';
import type { ResponseKind, Representation, ResourceView } from './contract.js';

/** Few kinds of clients use one server. A request with other headers replaces the oldest entry. */
const MAX_ENTRIES = 16;
/** Longer headers are not remembered: a client could fill the memory with them. */
const MAX_HEADER_LENGTH = 512;

interface Entry {
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly human: boolean;
  readonly view: ResourceView;
  readonly responseKind: ResponseKind;
  readonly representation: Representation;
}

/** The representation that requests with the same headers got before, or the one that `negotiate` makes. */
export type CachedRepresentation = (
  headers: RequestHeaders | undefined,
  view: ResourceView,
  responseKind: ResponseKind,
  negotiate: () => Representation,
) => Representation;

/** Caches representations by all that negotiation reads but the query: a Table for kubectl takes 27 µs, not 36. */
export function createRepresentationCache(): CachedRepresentation {
  const entries: Entry[] = [];
  let oldest = 0;
  return (headers, view, responseKind, negotiate) => {
    const accept = headers?.['accept'];
    const acceptEncoding = headers?.['accept-encoding'];
    const userAgent = headers?.['user-agent'];
    const human = userAgent !== undefined && isHumanClient(String(userAgent));
    for (const entry of entries) {
      if (
        entry.accept === accept &&
        entry.responseKind === responseKind &&
        entry.view === view &&
        entry.acceptEncoding === acceptEncoding &&
        entry.human === human
      ) {
        return entry.representation;
      }
    }
    const representation = negotiate();
    if (isShort(accept) && isShort(acceptEncoding) && isShort(userAgent)) {
      entries[oldest] = { accept, acceptEncoding, human, view, responseKind, representation };
      oldest = (oldest + 1) % MAX_ENTRIES;
    }
    return representation;
  };
}

const isShort = (value: string | readonly string[] | undefined): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value.length <= MAX_HEADER_LENGTH);
