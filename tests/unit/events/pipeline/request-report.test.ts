import { beforeAll, expect, test } from 'vitest';
import {
  allowAuthenticated,
  createEvents,
  memoryStore,
  staticTokens,
  type Events,
  type Observation,
} from '../../../../src/index.js';
import { call } from '../../../../src/testing.js';

type RequestSeen = Extract<Observation, { type: 'request' }>;

const API = '/apis/events.example.com/v1';
const EVENTS = `${API}/namespaces/default/events`;
const event = {
  metadata: { name: 'a' },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
};
const seen: RequestSeen[] = [];
let events: Events;

beforeAll(async () => {
  events = createEvents({
    apiDomain: 'example.com',
    store: memoryStore(),
    authenticate: staticTokens({ t: { name: 'ops' } }),
    authorize: allowAuthenticated(),
    observe: (observation) => void (observation.type === 'request' && seen.push(observation)),
  });
  await call(events.handle, `POST ${EVENTS}`, { token: 't', json: event });
});

/** What was reported of a request, and the length of its answer. */
async function reported(line: string, token = 't', json?: object): Promise<[RequestSeen, number]> {
  const answer = await call(events.handle, line, { token, ...(json && { json }) });
  const bytes = new TextEncoder().encode(await answer.text()).length;
  const last = seen.at(-1);
  if (last === undefined) throw new Error('nothing was reported');
  return [last, bytes];
}

const OURS = { group: 'events.example.com', version: 'v1', resource: 'events' };
const NONE = { group: '', version: '', resource: '', namespace: '', scope: '' };

test.each([
  [`GET ${EVENTS}/a`, 200, { ...OURS, verb: 'get', namespace: 'default', scope: 'resource' }],
  [`GET ${EVENTS}`, 200, { ...OURS, verb: 'list', namespace: 'default', scope: 'namespace' }],
  [`GET ${API}/events`, 200, { ...OURS, verb: 'list', namespace: '', scope: 'cluster' }],
  [`PUT ${EVENTS}/a`, 400, { ...OURS, verb: 'update', namespace: 'default', scope: 'resource' }],
  [`TRACE ${EVENTS}/a`, 405, { ...OURS, verb: 'trace', namespace: 'default', scope: 'resource' }],
  [`GET ${API}`, 200, { ...NONE, verb: 'get' }],
  [`GET ${API}/pods`, 404, { ...NONE, verb: 'list' }],
  ['GET /apis/events.example.com/v9/namespaces/default/events/a', 404, { ...NONE, verb: 'get' }],
])('%s is reported with its status, what it asked for and the length of the answer', async (line, status, expected) => {
  const [observation, responseBytes] = await reported(line);
  expect(observation).toMatchObject({ ...expected, status, caller: 'ops', dryRun: '', responseBytes });
});

test('A create is reported as a write to one object.', async () => {
  const [observation] = await reported(`POST ${EVENTS}`, 't', { ...event, metadata: { name: 'b' } });
  expect(observation).toMatchObject({ ...OURS, verb: 'create', status: 201, namespace: 'default', scope: 'resource' });
});

test('A request that was not authenticated is reported without a caller, with what it asked for.', async () => {
  const [observation] = await reported(`GET ${EVENTS}/a`, 'wrong');
  expect(observation).toMatchObject({ ...OURS, verb: 'get', status: 401, scope: 'resource' });
  expect(observation.caller).toBeUndefined();
});

test.each([
  ['', ''],
  ['?dryRun=All', 'All'],
  ['?dryRun=All&dryRun=All', 'All'],
  ['?dryRun=x', 'invalid'],
  ['?dryRun=All&dryRun=x', 'invalid'],
])('dryRun of DELETE …/none%s is reported as %j', async (query, dryRun) => {
  const [observation] = await reported(`DELETE ${EVENTS}/none${query}`);
  expect(observation.dryRun).toBe(dryRun);
});
