// Starts every example as a user would, on the built package, and sends it the requests of a client: `npm run
// examples`, or `npm run examples -- hono nest` for some of them.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, startExample, startProgram } from './example-client.mjs';
import { root, run, runGates, runTool, scratchFolder } from './gate.mjs';

const TOKEN = 's3cret-of-the-examples';
const EVENTS = '/apis/events.example.com/v1/namespaces/shop/events';

/** The services that mount health and events, their response on unknown paths, and how they end. */
const SERVICES = {
  'node-http': { notFound: 'no such page in this shop' },
  express: { notFound: 'no such page in this shop' },
  hono: { notFound: 'no such page in this shop' },
  fastify: { notFound: 'no such page in this shop' },
  koa: { notFound: 'no such page in this shop' },
  h3: { notFound: 'no such page in this shop' },
  nest: {
    notFound: 'Cannot GET ',
    // Nest sends the signal to itself again when it is done.
    end: 'SIGTERM',
    env: { TSX_TSCONFIG_PATH: join(root, 'examples/nest/tsconfig.json') },
  },
};

/** Examples that are tests. */
const TESTS = {
  'nest with Jest': () => {
    const output = runTool('jest/bin/jest.js', ['--config', 'examples/nest/jest.config.cjs', '--json']);
    const { numPassedTests, numTotalTests } = JSON.parse(output);
    assert.ok(numTotalTests > 0 && numPassedTests === numTotalTests, output);
    return `${numPassedTests} tests`;
  },
  'unit-test with node:test': () => nodeTest('unit-test/orders.test.ts'),
  'own-store passes the published suite': () => nodeTest('own-store/table-store.test.ts'),
  'export forwards events to four kinds of receivers': () => nodeTest('export/export.test.ts'),
};

/** Runs a file of node:test; returns how many tests passed. */
function nodeTest(path) {
  // A run inside another run of node:test would report in a form for its parent.
  const env = { NODE_TEST_CONTEXT: undefined };
  const words = ['--import', 'tsx', '--test', '--test-reporter=tap', join(root, 'examples', path)];
  const output = run(process.execPath, words, { env });
  const passed = Number(/^# pass (\d+)$/m.exec(output)?.[1] ?? 0);
  assert.ok(passed > 0 && /^# fail 0$/m.test(output), output);
  return `${passed} tests`;
}

function greeting(name) {
  return {
    apiVersion: 'events.example.com/v1',
    kind: 'Event',
    metadata: { name, namespace: 'shop' },
    eventTime: '2026-01-02T03:04:05.678901Z',
    reportingController: 'example.com/greeter',
    reportingInstance: 'greeter-1',
    action: 'Greet',
    reason: 'Greeted',
    type: 'Normal',
    regarding: { kind: 'Order', namespace: 'shop', name: 'greeting' },
  };
}

/** The gates of a service that mounts health and events, in order. */
function serviceGates(name, { notFound, end = 0, env = {} }) {
  let example;
  let client;
  let openWatch;
  const asked = (question) => async () => {
    assert.ok(client, 'it did not start');
    await question(client);
  };

  return {
    starts: async () => {
      example = await startExample(name, { env });
      client = createClient(example.url, TOKEN);
      assert.equal(example.output().match(/^ {2}curl /gm)?.length, 3, `three lines to copy:\n${example.output()}`);
    },

    'keeps its own routes, body parser and 404': asked(async ({ json, text }) => {
      assert.deepEqual(await json('GET', '/version', 200), { service: 'shop', version: '1.2.3' });
      const order = await json('POST', '/orders', 201, { json: { item: 'tea', amount: 2 }, token: '' });
      assert.deepEqual(await json('GET', '/orders', 200), [order]);
      await json('POST', '/orders', 400, { json: { item: '' } });
      for (const path of ['/nothing', '/livez2', '/ops', '/ops/nothing', '/ops/orders', '/apis2']) {
        assert.ok((await text(path, 404)).includes(notFound), path);
      }
    }),

    'answers for its health, at the root and below /ops': asked(async ({ text, send, json }) => {
      const options = { token: '' };
      const verbose = await text('/readyz?verbose', 200, options);
      assert.match(verbose, /^\[\+\]database ok$/m);
      assert.match(verbose, /healthz check passed\n$/);
      assert.equal(await text('/ops/livez', 200, options), 'ok');
      assert.equal(await text('/ops/readyz/database', 200), 'ok');
      assert.equal((await json('GET', '/ops/readyz?format=json', 200, options)).status, 'ok');
      const head = await send('HEAD', '/livez', options);
      assert.deepEqual([head.status, await head.text()], [200, '']);
    }),

    'creates, gets, lists, patches and deletes an event': asked(async ({ json }) => {
      const created = await json('POST', EVENTS, 201, { json: greeting('one') });
      assert.match(created.metadata.uid, /^[0-9a-f-]{36}$/);
      assert.deepEqual(await json('GET', `${EVENTS}/one`, 200), created);
      const list = await json('GET', `/ops${EVENTS}?fieldSelector=metadata.name%3Done`, 200);
      assert.equal(list.kind, 'EventList');
      assert.deepEqual(
        list.items.map((item) => item.metadata.name),
        ['one'],
      );
      // A type that body parsers leave alone.
      const patch = { type: 'application/merge-patch+json', json: { metadata: { labels: { seen: 'yes' } } } };
      assert.deepEqual((await json('PATCH', `${EVENTS}/one`, 200, patch)).metadata.labels, { seen: 'yes' });
      assert.equal((await json('DELETE', `${EVENTS}/one`, 200)).status, 'Success');
      assert.equal((await json('GET', `${EVENTS}/one`, 404)).reason, 'NotFound');
    }),

    'refuses strangers and bad input, and goes on': asked(async ({ json, send }) => {
      assert.equal((await json('GET', EVENTS, 401, { token: '' })).reason, 'Unauthorized');
      assert.equal((await json('POST', EVENTS, 401, { token: 'wrong', json: greeting('two') })).reason, 'Unauthorized');
      const truncated = await send('POST', EVENTS, { text: '{"kind":' });
      assert.equal(truncated.status, 400);
      await truncated.arrayBuffer();
      const invalid = await json('POST', EVENTS, 422, { json: { ...greeting('two'), action: '' } });
      assert.equal(invalid.reason, 'Invalid');
      await json('GET', `${EVENTS}/two`, 404);
    }),

    'lets a watch see a create and what the service records': asked(async ({ json, watch }) => {
      const { metadata } = await json('GET', EVENTS, 200);
      const next = await watch(`${EVENTS}?watch=true&resourceVersion=${metadata.resourceVersion}`);
      await json('POST', EVENTS, 201, { json: greeting('three') });
      const first = await next();
      assert.deepEqual([first.type, first.object.metadata.name], ['ADDED', 'three']);
      await json('POST', '/orders', 201, { json: { item: 'milk', amount: 1 } });
      const second = await next();
      assert.deepEqual([second.type, second.object.reason, second.object.note], ['ADDED', 'OrderPlaced', '1 × milk']);
      openWatch = next;
    }),

    'stops on SIGTERM, and open watches end cleanly': async () => {
      assert.ok(client, 'it did not start');
      try {
        const belowOps = await client.watch(`/ops${EVENTS}?watch=true&resourceVersion=0`);
        assert.equal((await belowOps()).object.metadata.namespace, 'shop');
        const stopped = example.stop();
        for (const next of [belowOps, openWatch].filter(Boolean)) {
          for (let frame = await next(); frame !== undefined; frame = await next()) assert.equal(frame.type, 'ADDED');
        }
        assert.equal(await stopped, end, example.output());
      } finally {
        example.kill();
      }
    },
  };
}

/** The gates of the example in forty lines. */
function standaloneGates() {
  return {
    'serves health and events, and stops on SIGTERM': async () => {
      const example = await startExample('standalone');
      try {
        const client = createClient(example.url, TOKEN);
        assert.match(await client.text('/readyz?verbose', 200, { token: '' }), /^\[\+\]memory ok$/m);
        await client.json('GET', EVENTS, 401, { token: '' });
        const next = await client.watch(`${EVENTS}?watch=true`);
        await client.json('POST', EVENTS, 201, { json: greeting('one') });
        assert.equal((await next()).object.metadata.name, 'one');
        const stopped = example.stop();
        assert.equal(await next(), undefined);
        assert.equal(await stopped, 0, example.output());
      } finally {
        example.kill();
      }
    },
  };
}

/** The gates of `npm start`, whose flags and shutdown have other tests. */
function serveGates() {
  const folder = join(scratchFolder(), 'data');
  let example;
  let client;
  let seen;
  const start = async () => {
    example = await startProgram('serve', '--data-dir', folder, '--secure-port', '0', '--insecure-port', '0');
    client = createClient(example.url, readFileSync(join(folder, 'admin-token'), 'utf8').trim());
  };
  return {
    'starts, is ready, and says where events are': async () => {
      await start();
      assert.match(await client.text('/readyz?verbose', 200, { token: '' }), /healthz check passed\n$/);
      assert.ok(example.output().includes(`Events are kept in ${join(folder, 'events.db')}`), example.output());
    },
    'lets a watch see a create, and stops on SIGTERM': async () => {
      assert.ok(client, 'it did not start');
      try {
        const { metadata } = await client.json('GET', EVENTS, 200);
        seen = metadata.resourceVersion;
        const next = await client.watch(`${EVENTS}?watch=true&resourceVersion=${seen}`);
        await client.json('POST', EVENTS, 201, { json: greeting('one') });
        assert.equal((await next()).object.metadata.name, 'one');
        const stopped = example.stop();
        assert.equal(await next(), undefined);
        assert.equal(await stopped, 0, example.output());
      } finally {
        example.kill();
      }
    },
    'shows its events after a restart, and a watch goes on where it was': async () => {
      assert.ok(seen, 'it did not start');
      try {
        await start();
        const list = await client.json('GET', EVENTS, 200);
        assert.deepEqual(
          list.items.map((item) => item.metadata.name),
          ['one'],
        );
        const next = await client.watch(`${EVENTS}?watch=true&resourceVersion=${seen}`);
        assert.equal((await next()).object.metadata.resourceVersion, list.items[0].metadata.resourceVersion);
        const second = await startProgram('serve', '--data-dir', folder, '--secure-port', '0').then(
          (other) => other.kill() && 'it started',
          (error) => error.message,
        );
        assert.match(second, /it ended with 1:\nerror: --store: .*events\.db is in use/);
        assert.equal(await example.stop(), 0, example.output());
      } finally {
        example.kill();
      }
    },
  };
}

const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);

const gates = {};
const add = (name, more) => {
  for (const [title, gate] of Object.entries(more)) gates[`${name} ${title}`] = gate;
};
if (isWanted('serve')) add('kube-vitals serve', serveGates());
if (isWanted('standalone')) add('standalone', standaloneGates());
for (const [name, about] of Object.entries(SERVICES)) if (isWanted(name)) add(name, serviceGates(name, about));
for (const [title, gate] of Object.entries(TESTS)) if (isWanted(title.split(' ')[0])) gates[title] = gate;

if (!existsSync(join(root, 'dist'))) throw new Error('there is no dist: run `npm run build` first');
await runGates('examples', gates);
