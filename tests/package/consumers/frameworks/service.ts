import { allowAuthenticated, createEvents, createHealth, firstOf, memoryStore, staticTokens } from 'kube-vitals';
import type { ApiHandler, Event, EventList } from 'kube-vitals';
import type { ShutdownReport } from 'kube-vitals/node';

const authenticate = staticTokens({ s3cret: { name: 'ops' } });
const authorize = allowAuthenticated();

export const store = memoryStore();
export const health = createHealth({ authenticate, authorize });
export const events = createEvents({ apiDomain: 'example.com', store, authenticate, authorize });
export const handle: ApiHandler = firstOf(health.handle, events.handle);

let reported: (report: ShutdownReport) => void;
const report = new Promise<ShutdownReport>((resolve) => (reported = resolve));
export const onReport = (given: ShutdownReport): void => reported(given);

const PATH = '/apis/events.example.com/v1/namespaces/default/events';
const event: Event = {
  metadata: { name: 'greeting', namespace: 'default' },
  eventTime: '2026-01-02T03:04:05.678901Z',
  reportingController: 'example.com/greeter',
  reportingInstance: 'greeter-1',
  action: 'Greet',
  reason: 'Greeted',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'greeter' },
};

/** Sends a request of each kind, stops the service while a watch is open, and prints the results. */
export async function check(port: number, stop: () => unknown): Promise<void> {
  const ask = (path: string, body?: object): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: 'Bearer s3cret', connection: 'close', 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  const ready = await ask('/readyz');
  const created = await ask(PATH, event);
  const { items } = (await (await ask(PATH)).json()) as EventList;
  const own = await (await ask('/own')).text();
  const watch = await ask(`${PATH}?watch=true`);
  const frames = watch.text();
  await stop();
  const [first = '{}', ...rest] = (await frames).trim().split('\n');
  const { type } = JSON.parse(first) as { type?: string };
  const { drained, failures } = await report;
  console.log(
    `health ${ready.status}, created ${created.status}, listed ${items.length}, own ${own}, ` +
      `watch ${watch.status} ${type} and ${rest.length} more, drained ${drained}, failures ${failures.length}`,
  );
}

/** Sends SIGTERM, as an orchestrator does. */
export const terminate = (): boolean => process.kill(process.pid, 'SIGTERM');
