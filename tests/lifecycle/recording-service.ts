import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEventsClient, createRecorder, httpTransport } from '../../src/client.js';
import { allowAnonymous, allowEverybody, createEvents, createHealth, firstOf, memoryStore } from '../../src/index.js';
import { installShutdown, toNodeListener } from '../../src/node.js';

// A service that records an event for every request, at the server that its argument names, and serves events of its
// own. A signal shuts it down. Prints its port and, at the end, the recorder's statistics.
const [address = ''] = process.argv.slice(2);
const transport = httpTransport({ server: address });
const client = createEventsClient({ transport, group: 'events.example.com', namespace: 'default' });
const recorder = createRecorder({ events: client, reportingController: 'example.com/shop' });
const health = createHealth();
const store = memoryStore();
const hooks = { authenticate: allowAnonymous(), authorize: allowEverybody() };
const events = createEvents({ apiDomain: 'example.com', store, ...hooks });
const vitals = toNodeListener(firstOf(health.handle, events.handle));
const server = createServer((req, res) =>
  vitals(req, res, () => {
    const [, kind = '', name = ''] = (req.url ?? '').split('/');
    recorder.event({ regarding: { kind: 'Order', name }, reason: 'Placed', action: 'Order', note: kind });
    res.end('placed');
  }),
);
installShutdown({
  ...{ server, health, events, recorder, store },
  close: () => transport.close(),
  onReport: () => void process.stdout.write(`${JSON.stringify(recorder.stats())}\n`),
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
