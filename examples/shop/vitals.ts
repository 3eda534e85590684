import {
  allowAuthenticated,
  createEvents,
  createHealth,
  firstOf,
  memoryStore,
  staticTokens,
  type ApiHandler,
  type Events,
  type EventStore,
  type Health,
  type HealthCheck,
} from 'kube-vitals';
import { createRecorder, recordHealthChanges, type Recorder } from 'kube-vitals/client';

/** Who may use the API. A real service reads its tokens from a secret. */
const TOKENS = { 's3cret-of-the-examples': { name: 'ops' } };

/** What every example mounts. */
export interface Vitals {
  /** Health and events. Returns `undefined` for paths that are the service's own. */
  readonly handle: ApiHandler;
  readonly addCheck: (check: HealthCheck) => void;
  readonly recorder: Recorder;
  /** Call it once the service can take requests: until then `/readyz` fails. */
  readonly started: () => void;
  /** What the shutdown ends, in its order. */
  readonly parts: {
    readonly health: Health;
    readonly events: Events;
    readonly recorder: Recorder;
    readonly store: EventStore;
  };
}

/** Health and events of the shop: what a service writes once, whatever framework it uses. */
export function createVitals(): Vitals {
  const authenticate = staticTokens(TOKENS);
  const authorize = allowAuthenticated();
  const store = memoryStore();
  const health = createHealth({ authenticate, authorize });
  // The shop has no route at /api or /apis: kubectl, which reads them first, is to find ours.
  const events = createEvents({ apiDomain: 'example.com', store, authenticate, authorize, discovery: true });

  const recorder = createRecorder({ events, reportingController: 'example.com/shop', namespace: 'shop' });
  health.onChange(recordHealthChanges(recorder));

  const start = health.addPostStartHook('open-shop');

  return {
    handle: firstOf(health.handle, events.handle),
    addCheck: health.add,
    recorder,
    started: start.done,
    parts: { health, events, recorder, store },
  };
}
