import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { EndSignal, ProcessContext } from '../../src/cli/command-line/command.js';
import { runProgram } from '../../src/cli/program.js';
import { allowAuthenticated, createApiServer, createHealth, staticTokens } from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { listenTls } from './client-support.js';
import { openEvents } from './events-api.js';

import { listen } from './support.js';

const TOKEN = 't0ken-of-this-test';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const run = (...argv: string[]): Promise<Ran> => runUntil(undefined, ...argv);

/** Runs the command, and ends it with a signal. */
async function runUntil(end: Promise<EndSignal> | undefined, ...argv: string[]): Promise<Ran> {
  const written = { out: '', err: '' };
  const context: ProcessContext = {
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    pid: 1,
    onSignal(callback) {
      void end?.then(callback);
      return () => undefined;
    },
  };
  const code = await runProgram(['events', ...argv], '0.0.0', context);
  return { code, ...written };
}

/** A server with a token, over HTTP and over TLS, and a folder for files. */
async function served() {
  const access = { authenticate: staticTokens({ [TOKEN]: { name: 'reader' } }), authorize: allowAuthenticated() };
  const api = openEvents(access);
  onTestFinished(() => api.close());
  expect(await api.create('one')).toBe(201);
  const health = createHealth(access);
  onTestFinished(() => void health.close());
  const { handle } = createApiServer({ ...access, health, events: api.events });
  const { port } = await listen(toNodeListener(handle));
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-events-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { url: `http://127.0.0.1:${port}`, tls: await listenTls(toNodeListener(handle)), folder };
}

test('kube-vitals events finds the group of a server, with a token from a file', async () => {
  const { url, folder } = await served();
  const file = join(folder, 'token');
  writeFileSync(file, `${TOKEN}\n`);
  const shown = await run('--server', url, '--token-file', file);
  expect([shown.code, shown.err]).toEqual([0, '']);
  expect(shown.out).toMatch(/^LAST SEEN .*\n.* Normal +Tested +Pod\/web-1\n$/);
  const group = await run('--server', url, '--token-file', file, '--api-group', 'events.example.org');
  expect([group.code, group.out]).toEqual([1, '']);
});

test('kube-vitals events takes server, user and namespace from a kubeconfig', async () => {
  const { url, tls, folder } = await served();
  const file = join(folder, 'kubeconfig');
  const config = {
    clusters: [
      { name: 'c', cluster: { server: tls.server, 'certificate-authority-data': tls.ca } },
      { name: 'plain', cluster: { server: url } },
    ],
    users: [{ name: 'u', user: { token: TOKEN } }],
    contexts: [
      { name: 'here', context: { cluster: 'c', user: 'u' } },
      { name: 'there', context: { cluster: 'c', user: 'u', namespace: 'shop' } },
      { name: 'unencrypted', context: { cluster: 'plain', user: 'u' } },
    ],
    'current-context': 'here',
  };
  writeFileSync(file, JSON.stringify({ ...config, 'current-context': '' }));
  const err = 'error: kubeconfig: there is no current-context: name one with --context\n';
  expect(await run('--kubeconfig', file)).toEqual({ code: 1, out: '', err });
  writeFileSync(file, JSON.stringify(config));
  expect((await run('--kubeconfig', file)).out).toContain('Pod/web-1');
  expect(await run('--kubeconfig', file, '--context', 'there')).toEqual({
    ...{ code: 0, out: '' },
    err: 'No events found in shop namespace.\n',
  });
  // The token is not sent.
  expect((await run('--kubeconfig', file, '--context', 'unencrypted')).err).toContain('Unauthorized');
});

test('kube-vitals events reports an error in one line, and exits with 1', async () => {
  const { url, folder } = await served();
  const refused = await run('--server', url);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toMatch(/^error: .+\n$/);
  const missing = await run('--kubeconfig', join(folder, 'nothing'));
  expect(missing.code).toBe(1);
  expect(missing.err).toMatch(/^error: .*nothing.*\n$/);
});

test('kube-vitals events ends with a signal while a file of its connection cannot be read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-events-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pipe');
  execFileSync('mkfifo', [file]);
  // Otherwise the read would keep its thread, and the test's process, for ever.
  onTestFinished(() => writeFileSync(file, 'x'));
  for (const flags of [
    ['--kubeconfig', file],
    ['--server', 'https://127.0.0.1:1', '--certificate-authority', file],
  ]) {
    const ended = await runUntil(delay<EndSignal>(200, 'SIGINT'), ...flags);
    expect(ended).toEqual({ code: 130, out: '', err: '' });
  }
});

test.each([
  [503, 'upstream connect error', 6, 'error: SERVER responded with 503: upstream connect error\n'],
  [429, '', 6, 'error: SERVER responded with 429\n'],
  [200, '<title>Sign in</title>', 1, 'error: the response from SERVER is not a JSON object: Sign in\n'],
])('kube-vitals events reports a response of %d to /apis that does not list the groups: %j', async (...response) => {
  const [status, body, attempts, error] = response;
  const asked: unknown[] = [];
  const { port } = await listen(({ url }, res) => {
    asked.push(url);
    res.writeHead(status).end(body);
  });
  const server = `http://127.0.0.1:${port}`;
  const err = error.replace('SERVER', server);
  expect(await run('--server', server)).toEqual({ code: 1, out: '', err });
  expect(asked).toEqual(new Array<string>(attempts).fill('/apis'));
});

test('kube-vitals events takes a server for Kubernetes if this caller may not list its groups', async () => {
  const { port } = await listen(({ url = '' }, res) => {
    const list = { kind: 'EventList', apiVersion: 'events.k8s.io/v1', metadata: { resourceVersion: '1' }, items: [] };
    const isList = url.startsWith('/apis/events.k8s.io/v1/namespaces/default/events');
    res.writeHead(isList ? 200 : 403, { 'content-type': 'application/json' });
    res.end(JSON.stringify(isList ? list : { kind: 'Status', code: 403 }));
  });
  expect(await run('--server', `http://127.0.0.1:${port}`)).toEqual({
    ...{ code: 0, out: '' },
    err: 'No events found in default namespace.\n',
  });
});
