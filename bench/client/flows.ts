import type { LoadJob } from '../protocol.js';
import type { HttpResponse } from './connection.js';
import { clientBodies } from './client-bodies.js';
import { eventBodies, MIDDLE, newTag } from './event-bodies.js';
import { eventsPath, requests } from './requests.js';

/** What one connection does, request after request. */
export interface Flow {
  /** `undefined` after the last one. */
  next(): string | undefined;
  /** Sees every response before the next request is made. */
  seen?(response: HttpResponse): void;
}

const PAGE = 500;
/** Steps through all of a data set in an order that looks random. */
const STRIDE = 7_919;
/** Counts of a series; no divisor of a data set's size, so that the next pass really changes every event. */
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
    case 'deep-page':
      return () => pageBehind(make.get, path, MIDDLE);
    case 'peek':
      return always(make.get(`${path}?limit=1`));
    case 'page':
      return () => pageWalk(make.get, path);
    case 'walk-once': {
      let number = 0;
      return () => pageWalk(make.get, eventsPath(target, `${namespace}-${number++}`), true);
    }
    case 'create': {
      const client = clientBodies(job.client ?? 'node', target, namespace, newTag());
      let index = 0;
      return () => ({ next: () => make.create(client, client.body(index++)) });
    }
    case 'update':
      return () =>
        readThenWrite(make.get, () => `${path}/${stored.name(anyone())}`, {
          write: (url, read) => make.put(url, withSeries(read, 2 + (turn % COUNTS))),
        });
    case 'versioned-patch':
      return () =>
        readThenWrite(make.get, () => `${path}/${stored.name(anyone())}`, {
          write(url, read) {
            const revision = /"resourceVersion":"(\d+)"/.exec(read)?.[1] ?? '';
            return make.mergePatch(
              url,
              `{"metadata":{"resourceVersion":"${revision}"},${series(2 + (turn % COUNTS))}}`,
            );
          },
        });
    case 'patch':
      return () => ({
        next: () => make.mergePatch(`${path}/${stored.name(anyone())}`, `{${series(2 + (turn % COUNTS))}}`),
      });
  }
}

const series = (count: number): string =>
  `"series":{"count":${count},"lastObservedTime":"2026-01-02T03:06:07.000000Z"}`;

/** The object that was read with everything the server has set, and another series, as a client sends it back. */
function withSeries(read: string, count: number): string {
  if (read.includes('"series":{')) return read.replace(/"series":\{[^}]*\}/, series(count));
  return read.replace('"reportingController":', `${series(count)},"reportingController":`);
}

/** Alternates a get and a write that is made from its result. Both count as responses. */
function readThenWrite(
  get: (path: string) => string,
  choose: () => string,
  { write }: { write(path: string, read: string): string },
): Flow {
  let path = '';
  let read = '';
  return {
    next() {
      if (read !== '') return write(path, read);
      path = choose();
      return get(path);
    },
    seen({ start, status }) {
      read = read === '' && status === 200 ? start : '';
    },
  };
}

/** The page that begins after a name, at the revision of an earlier list. */
function pageBehind(get: (path: string) => string, path: string, name: string): Flow {
  let token = '';
  return {
    next: () => get(token === '' ? `${path}?limit=1` : `${path}?limit=${PAGE}&continue=${token}`),
    seen({ start }) {
      if (token !== '') return;
      const revision = Number(/"resourceVersion":"(\d+)"/.exec(start)?.[1]);
      const position = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${name}\0` });
      token = Buffer.from(position).toString('base64url');
    },
  };
}

/** Walks from page to page, and from the last one to the first again unless `once`. */
function pageWalk(get: (path: string) => string, path: string, once = false): Flow {
  let token = '';
  let over = false;
  return {
    next: () =>
      over ? undefined : get(`${path}?limit=${PAGE}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`),
    seen({ start }) {
      // The list's metadata comes before its items.
      token = /"continue":"([^"]+)"/.exec(start)?.[1] ?? '';
      over = once && token === '';
    },
  };
}
