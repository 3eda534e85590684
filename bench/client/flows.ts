import type { LoadJob } from '../protocol.js';
import type { Answer } from './connection.js';
import { eventBodies, newTag } from './event-bodies.js';
import { eventsPath, requests } from './requests.js';

/** What one connection does, request after request. */
export interface Flow {
  next(): string;
  /** Sees every answer before the next request is made. */
  seen?(answer: Answer): void;
}

const PAGE = 500;
/** Steps through all of a data set in an order that looks random. */
const STRIDE = 7_919;
/** Counts of a series; no divisor of a data set's size, so that the next round really changes every event. */
const COUNTS = 9_973;

/** A flow for each connection of a load job. Counters are shared between them. */
export function flows(job: LoadJob): () => Flow {
  const { target, kind, namespace, size } = job;
  const make = requests(target);
  const path = eventsPath(target, namespace);
  const stored = eventBodies(target, namespace);
  let turn = Math.floor(Math.random() * size);
  const anyone = (): number => {
    turn += 1;
    return (turn * STRIDE) % size;
  };
  const always = (request: string) => (): Flow => ({ next: () => request });
  switch (kind) {
    case 'health':
      return always(make.get('/readyz'));
    case 'livez':
      return always(make.get('/livez'));
    case 'get':
      return () => ({ next: () => make.get(`${path}/${stored.name(anyone())}`) });
    case 'regarding':
      return () => ({
        next: () => make.get(`${path}?fieldSelector=regarding.name%3D${stored.regarding(anyone())}`),
      });
    case 'list':
      return always(make.get(path));
    case 'first-page':
      return always(make.get(`${path}?limit=${PAGE}`));
    case 'page':
      return () => pageWalk(make.get, path);
    case 'create': {
      const fresh = eventBodies(target, namespace, newTag());
      let index = 0;
      return () => ({ next: () => make.post(path, fresh.body(index++)) });
    }
    case 'update':
      return () => ({
        next() {
          const index = anyone();
          return make.put(`${path}/${stored.name(index)}`, stored.withSeries(index, 2 + (turn % COUNTS)));
        },
      });
    case 'patch':
      return () => ({
        next: () =>
          make.mergePatch(
            `${path}/${stored.name(anyone())}`,
            `{"series":{"count":${2 + (turn % COUNTS)},"lastObservedTime":"2026-01-02T03:06:07.000000Z"}}`,
          ),
      });
  }
}

/** From page to page, and from the last one to the first. */
function pageWalk(get: (path: string) => string, path: string): Flow {
  let token = '';
  return {
    next: () => get(`${path}?limit=${PAGE}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`),
    seen({ start }) {
      // The list's metadata comes before its items.
      token = /"continue":"([^"]+)"/.exec(start)?.[1] ?? '';
    },
  };
}
