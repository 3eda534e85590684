// Compiled by `npm run typecheck`, never run. The compiler has to refuse each line below `@ts-expect-error`.
import {
  allowAnonymous,
  allowAuthenticated,
  createEvents,
  createHealth,
  memoryStore,
  staticTokens,
} from '../../src/index.js';
import type { Authenticate, Authorize, Event, EventStore, EventsOptions } from '../../src/index.js';

const complete: EventsOptions = {
  apiDomain: 'example.com',
  store: memoryStore(),
  authenticate: staticTokens({ s3cret: { name: 'ops' } }),
  authorize: allowAuthenticated(),
};

/** The smallest event API, and one that is open to everybody by choice. */
createEvents(complete);
createEvents({ ...complete, authenticate: allowAnonymous() });

/** Hooks are functions of the service, synchronous or not. */
export const authenticate: Authenticate = async ({ headers }) =>
  Promise.resolve(headers?.['x-user'] === 'ops' ? { name: 'ops', groups: [], extra: {} } : undefined);
export const authorize: Authorize = (caller, attributes) => ({
  allowed: 'path' in attributes ? attributes.path === '/readyz' : attributes.verb === 'get' && caller.name === 'ops',
});
createEvents({ ...complete, authenticate, authorize });

// @ts-expect-error no server is open by accident: authenticate is required
createEvents({ apiDomain: 'example.com', store: memoryStore(), authorize });

// @ts-expect-error no server is open by accident: authorize is required
createEvents({ apiDomain: 'example.com', store: memoryStore(), authenticate });

// @ts-expect-error a decision is an object with a reason, not a boolean
createEvents({ ...complete, authorize: () => true });

// @ts-expect-error durations are numbers of milliseconds
createEvents({ ...complete, ttlMs: '1h' });

// @ts-expect-error no such option
createEvents({ ...complete, domain: 'example.com' });

// @ts-expect-error a Map is no store
createEvents({ ...complete, store: new Map() });

/** Checks return nothing, a verdict, or throw. */
const health = createHealth();
health.add({ name: 'nothing', check: () => undefined });
health.add({ name: 'verdict', check: async () => Promise.resolve({ ok: false, reason: 'away' }) });
health.add({
  name: 'background',
  check: ({ signal }) => !signal.aborted,
  periodMs: 1000,
  critical: false,
  endpoints: ['livez'],
});

// @ts-expect-error the result of a driver's call is not a verdict
health.add({ name: 'pong', check: async () => Promise.resolve('PONG') });

// @ts-expect-error there are three endpoints, and none of this name
health.add({ name: 'started', check: () => true, endpoints: ['startupz'] });

// @ts-expect-error a check without a function
health.add({ name: 'empty' });

/** An event is readable by its published fields, and a store is read-only. */
export const note = (event: Event): string | undefined => event.note;
export const named = (store: EventStore): string => store.name;

// @ts-expect-error contracts are read-only
export const rename = (store: EventStore): string => (store.name = 'other');
