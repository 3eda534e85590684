import { setTimeout as pause } from 'node:timers/promises';
import { eventsPath, type Stored } from './event-api.js';
import { isLost, type HttpResponse, type HttpClient, type Lost } from './http-client.js';
import type { Server } from './standalone.js';

/** A namespace, read page by page. */
export interface Walk {
  readonly revision: number;
  /** Items by name, in the form of {@link itemText}. */
  readonly items: ReadonlyMap<string, string>;
  readonly pages: number;
  /** Names that came twice or out of order. */
  readonly wrong: readonly string[];
}

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly Stored[];
}

/** Asks each server in turn for the next page. `between` runs after every page but the last. */
export async function walkPages(
  http: HttpClient,
  servers: readonly Server[],
  namespace: string,
  { limit = 50, between = async () => undefined }: { limit?: number; between?: () => Promise<unknown> } = {},
): Promise<Walk> {
  const items = new Map<string, string>();
  const wrong: string[] = [];
  let token = '';
  let revision: number | undefined;
  let last = '';
  for (let pages = 1; ; pages++) {
    const server = servers[(pages - 1) % servers.length] as Server;
    const query = `limit=${limit}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`;
    const response = await http.ask(server, { path: `${eventsPath(namespace)}?${query}` });
    if (isLost(response) || response.status !== 200) {
      const reason = isLost(response) ? response.reason : response.text;
      throw new Error(`page ${pages} at ${server.name}: ${reason}`, { cause: response });
    }
    const page = JSON.parse(response.text) as Page;
    revision ??= Number(page.metadata.resourceVersion);
    if (Number(page.metadata.resourceVersion) !== revision) {
      wrong.push(`page ${pages} is of ${page.metadata.resourceVersion}, the first of ${revision}`);
    }
    for (const item of page.items) {
      const { name } = item.metadata;
      if (name <= last) wrong.push(`page ${pages}: ${name} after ${last}`);
      last = name;
      items.set(name, JSON.stringify(item));
    }
    token = page.metadata.continue ?? '';
    if (token === '') return { revision, items, pages, wrong };
    await between();
  }
}

/** A client that lists everything again and again, each page from another server. */
export interface Pager {
  readonly walks: readonly Walk[];
  /** Walks that failed, and not because the store was unavailable. */
  readonly wrong: readonly string[];
  readonly stop: () => Promise<void>;
}

/** A limit, because a walk keeps all that it read. */
const MAX_WALKS = 20;
const EVERY_MS = 300;

/** Starts the client. */
export function startPager(http: HttpClient, servers: readonly Server[], namespace: string): Pager {
  const walks: Walk[] = [];
  const wrong: string[] = [];
  let stopped = false;

  const run = async (): Promise<void> => {
    while (!stopped && walks.length < MAX_WALKS) {
      const up = servers.filter((server) => server.up);
      try {
        if (up.length > 0) walks.push(await walkPages(http, up, namespace, { limit: 20 }));
      } catch (error) {
        const response = (error as Error).cause as HttpResponse | Lost;
        if (!isLost(response) && ![429, 503, 504].includes(response.status)) wrong.push(String(error));
      }
      await pause(EVERY_MS);
    }
  };
  const running = run();
  return {
    walks,
    wrong,
    async stop() {
      stopped = true;
      await running;
    },
  };
}
