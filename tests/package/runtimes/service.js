// Health and events of a service, created while the module is evaluated.
import { allowAuthenticated, createEvents, memoryStore, staticTokens } from 'kube-vitals';
import { toFetchHandler } from 'kube-vitals/fetch';
import { createHealth } from 'kube-vitals/health';

const observe = (observation) => {
  if (observation.type === 'error') console.error(observation.where, observation.error);
};

export const createEventsOn = (store) =>
  createEvents({
    apiDomain: 'example.com',
    store,
    authenticate: staticTokens({ s3cret: { name: 'ops' } }),
    authorize: allowAuthenticated(),
    ttlMs: 3_000,
    observe,
  });

export const store = memoryStore({ maxBytes: 33_554_432 });
export const health = createHealth({ observe });
export const events = createEventsOn(store);
health.add({ name: 'store', check: ({ signal }) => store.ping({ signal }) });

export const onError = (error, where) => console.error(where, error);
export const serveHealth = toFetchHandler(health.handle, { onError });
export const serveEvents = toFetchHandler(events.handle, { onError });

/** Serves both, and responds with 404 for other paths. */
export async function serve(request) {
  return (await serveHealth(request)) ?? (await serveEvents(request)) ?? new Response('no such path', { status: 404 });
}

/** Ends watches and what the service holds; `closeServer` resolves when the last response is complete. */
export async function shutDown(closeServer) {
  health.startShutdown();
  await events.close();
  await closeServer();
  health.close();
  await store.close();
  console.log('closed');
}
