import type { FillJob, FillResult } from '../protocol.js';
import type { Connection } from './connection.js';
import { eventBodies } from './event-bodies.js';
import { errorCounter, openConnections } from './load.js';
import { eventsPath, requests } from './requests.js';

/** Creates the events of a data set; those that exist already are left. */
export async function fill({ target, namespace, size, from, connections }: FillJob): Promise<FillResult> {
  const open = await openConnections(target, connections);
  const make = requests(target);
  const path = eventsPath(target, namespace);
  const bodies = eventBodies(target, namespace);
  const errors = errorCounter();
  const start = performance.now();
  let index = from;
  const run = (connection: Connection): Promise<void> =>
    new Promise((resolve) => {
      const next = (): void => {
        if (index >= size || errors.count > 100) return resolve();
        connection.send(make.post(path, bodies.body(index++)), (response) => {
          if (response.status !== 201 && response.status !== 409) errors.note(response);
          if (response.status === 0) return resolve();
          next();
        });
      };
      next();
    });
  await Promise.all(open.map(run));
  for (const connection of open) connection.close();
  const perSecond = ((size - from) * 1000) / (performance.now() - start);
  return { perSecond, errors: errors.count, firstError: errors.first };
}
