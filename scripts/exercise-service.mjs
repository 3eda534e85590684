// Checks over HTTP what a service with health and events has to do in every runtime.
import assert from 'node:assert/strict';

const PATH = '/apis/events.example.com/v1/namespaces/default/events';
const HEADERS = { authorization: 'Bearer s3cret', 'content-type': 'application/json' };
/** How long one response, or one frame of a watch, may take, in milliseconds. */
const PATIENCE_MS = 10_000;

const eventNamed = (name, more) => ({
  apiVersion: 'events.example.com/v1',
  kind: 'Event',
  metadata: { name, namespace: 'default' },
  eventTime: '2026-01-02T03:04:05.678901Z',
  reportingController: 'example.com/greeter',
  reportingInstance: 'greeter-1',
  action: 'Greet',
  reason: 'Greeted',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'greeter' },
  ...more,
});

/** A field that makes a list of many events large enough to be compressed. */
const LONG = { note: 'x'.repeat(1_000) };

/** Rejects when `promise` takes too long. */
async function soon(what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing for ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The frames of a watch, one at a time; `undefined` at its end. */
function framesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  return async function next() {
    while (!pending.includes('\n')) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      pending += value;
    }
    const line = pending.slice(0, pending.indexOf('\n'));
    pending = pending.slice(line.length + 1);
    return JSON.parse(line);
  };
}

/**
 * Runs all checks against the service at `url`. `shutDown` is called while a watch is open, which must then end
 * cleanly. `headersFirst`: the server sends the headers of a stream that has no bytes yet.
 */
export async function exerciseService(url, { shutDown, headersFirst = true }) {
  const ask = async (path, init) => {
    const response = await fetch(url + path, { headers: HEADERS, signal: AbortSignal.timeout(PATIENCE_MS), ...init });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
  const create = (name, more) => ask(PATH, { method: 'POST', body: JSON.stringify(eventNamed(name, more)) });

  const ready = await ask('/readyz');
  assert.deepEqual([ready.status, ready.text], [200, 'ok']);
  assert.match((await ask('/readyz?verbose')).text, /^\[\+\]store ok$/m);
  assert.equal((await ask(PATH, { headers: {} })).status, 401);
  assert.equal((await ask('/no-such-path')).status, 404);

  const first = await create('first');
  assert.equal(first.status, 201, first.text);
  const revision = Number(JSON.parse(first.text).metadata.resourceVersion);
  // Revisions start from the wall clock, also in runtimes whose clock is 0 while the module is evaluated.
  assert.ok(Math.abs(revision / 1_000 - Date.now()) < 60_000, `resourceVersion ${revision}`);
  assert.equal((await ask(`${PATH}/first`)).text, first.text);
  const listed = JSON.parse((await ask(PATH)).text);
  assert.deepEqual(
    listed.items.map(({ metadata }) => metadata.name),
    ['first'],
  );
  for (const type of [
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'application/json;as=Table;g=meta.k8s.io;v=v1',
  ]) {
    const response = await ask(PATH, { headers: { ...HEADERS, accept: type } });
    assert.equal(response.status, 200, `${type}: ${response.text}`);
    assert.ok(response.text.includes('first'), type);
  }
  const yaml = `# YAML\n${JSON.stringify(eventNamed('in-yaml'))}`;
  const fromYaml = await ask(`${PATH}?dryRun=All`, {
    method: 'POST',
    headers: { ...HEADERS, 'content-type': 'application/yaml' },
    body: yaml,
  });
  assert.equal(fromYaml.status, 201, fromYaml.text);
  const tooLarge = await create('too-large', { note: 'x'.repeat(600_000) });
  assert.equal(tooLarge.status, 413, tooLarge.text);

  const watching = new AbortController();
  const watchFrom = (query) => fetch(`${url}${PATH}?watch=1${query}`, { headers: HEADERS, signal: watching.signal });
  // Bun.serve sends the headers of a response with its first bytes, which a quiet watch does not have.
  const quiet = watchFrom(`&resourceVersion=${revision}`).then(({ status }) => status);
  quiet.catch(() => undefined);
  const pause = new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(await Promise.race([quiet, pause]), headersFirst ? 200 : undefined, 'the headers of a quiet watch');
  const watch = await soon('the headers of a watch', watchFrom(''));
  assert.equal(watch.status, 200);
  const next = framesOf(watch.body);
  assert.equal((await soon('the frame of first', next())).object.metadata.name, 'first');
  for (const name of ['second', 'third', 'fourth']) {
    const frame = soon(`the frame of ${name}`, next());
    assert.equal((await create(name)).status, 201);
    const { type, object } = await frame;
    assert.deepEqual([type, object.metadata.name], ['ADDED', name]);
  }
  // Many requests, in sequence and at once: none may hang because of one that has ended.
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async (_, client) => {
      const seen = [];
      for (let count = 0; count < 20; count += 1) seen.push((await create(`many-${client}-${count}`, LONG)).status);
      return seen;
    }),
  );
  assert.deepEqual(new Set(statuses.flat()), new Set([201]));
  const zipped = await ask(PATH, { headers: { ...HEADERS, 'accept-encoding': 'gzip' } });
  assert.equal(zipped.headers.get('content-encoding'), 'gzip');
  const missing = 164 - JSON.parse(zipped.text).items.length;

  // Events live for three seconds: the expiry timer has to run without a request. On a slow machine the first events
  // expire before the list.
  const frames = { ADDED: 0, DELETED: 0 };
  while (frames.ADDED < 160 || frames.DELETED < Math.max(1, missing)) frames[(await soon('a frame', next())).type]++;
  assert.equal(frames.ADDED, 160);

  const ended = soon(
    'the end of the watch',
    (async () => {
      while ((await next()) !== undefined);
    })(),
  );
  ended.catch(() => undefined);
  try {
    await shutDown();
    await ended;
  } finally {
    watching.abort();
  }
}
