// A request of the etcd store over the JSON gateway, to a member that only notes it.
import { etcdStore } from 'kube-vitals/etcd';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';

const asked = [];
const server = createServer((request, response) => {
  asked.push(request.url);
  response.writeHead(503, { connection: 'close' }).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const endpoints = [`http://127.0.0.1:${server.address().port}`];
const store = etcdStore({ endpoints, transport: 'gateway', requestTimeoutMs: 500 });
await assert.rejects(store.revision(), { code: 'unavailable' });
await store.close();
assert.match(asked[0], /^\/v3\/kv\//);
await new Promise((resolve) => server.close(resolve));
console.log('closed');
