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
import { createRecorder, type Occurrence } from './recorder.js';

/** Who may use the API. A real service reads its tokens from a secret. */
const TOKENS = { 's3cret-of-the-examples': { name: 'ops' } };

/** What every example mounts. */
export interface Vitals {
  /** Health and events. Answers `undefined` for paths that are the service's own. */
  readonly handle: ApiHandler;
  readonly addCheck: (check: HealthCheck) => void;
  readonly record: (happened: Occurrence) => Promise<void>;
  /** Call it once the service can take requests: until then `/readyz` fails. */
  readonly started: () => void;
  /** What the shutdown ends, in its order. */
  readonly parts: { readonly health: Health; readonly events: Events; readonly store: EventStore };
}

/** Health and events of the shop: what a service writes once, whatever framework it uses. */
export function createVitals(): Vitals {
  const authenticate = staticTokens(TOKENS);
  const authorize = allowAuthenticated();
  const store = memoryStore();
  const health = createHealth({ authenticate, authorize });
  // The shop has no route at /api or /apis: kubectl, which reads them first, is to find ours.
  const events = createEvents({ apiDomain: 'example.com', store, authenticate, authorize, discovery: true });

  const itself = { name: 'shop', groups: ['system:authenticated'] };
  const record = createRecorder({ api: events.as(itself), group: 'events.example.com', namespace: 'shop' });
  health.onChange(({ check, status }) => {
    const type = status === 'ok' ? 'Normal' : 'Warning';
    // Not why: whoever may read events would read what /readyz withholds.
    const note = `${check} is ${status}`;
    // Nobody waits for this one; a service tells its logger.
    record({ type, action: 'Check', reason: 'HealthChanged', note, about: { kind: 'HealthCheck', name: check } }).catch(
      () => undefined,
    );
  });

  const start = health.addPostStartHook('open-shop');

  return {
    handle: firstOf(health.handle, events.handle),
    addCheck: health.add,
    record,
    started: start.done,
    parts: { health, events, store },
  };
}
