// The same through node:http, which Bun and Deno have as well.
import { firstOf } from 'kube-vitals';
import { installShutdown, toNodeListener } from 'kube-vitals/node';
import { createServer } from 'node:http';
import { events, health, store } from './service.js';

const server = createServer(toNodeListener(firstOf(health.handle, events.handle)));
installShutdown({
  server,
  health,
  events,
  store,
  delayMs: 0,
  drainTimeoutMs: 5_000,
  onReport: ({ drained }) => console.log(drained ? 'closed' : 'cut'),
});
server.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`));
