// A client, a recorder and a follower over HTTP, of the service in the same process.
import { createEventsClient, createRecorder, httpTransport, isNotFound, watchEvents } from 'kube-vitals/client';
import { toNodeListener } from 'kube-vitals/node';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { events, shutDown } from './service.js';

const server = createServer(toNodeListener(events.handle)).listen(0, '127.0.0.1');
await once(server, 'listening');
const transport = httpTransport({ server: `http://127.0.0.1:${server.address().port}`, token: 's3cret' });
const client = createEventsClient({ transport, group: 'events.example.com', namespace: 'default' });
const recorder = createRecorder({ events: client, reportingController: 'example.com/greeter' });
const changes = watchEvents({ client });

recorder.event({ reason: 'Greeted', action: 'Greet' });
await recorder.flush();
recorder.event({ reason: 'Greeted', action: 'Greet' });
await recorder.close();
assert.equal(recorder.stats().written, 2);
const [event] = await client.list().toArray();
assert.equal(event.series.count, 2);
assert.deepEqual((await changes.next()).value.event, event);
await assert.rejects(client.get({ name: 'absent' }), isNotFound);

await changes.return();
await transport.close();
await shutDown(() => new Promise((resolve) => server.close(resolve)));
