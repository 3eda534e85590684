import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createKubectl, type Kubectl } from '../clients/kubectl.js';
import { newEvent } from '../engines/support/event-api.js';
import { ownProcess } from '../engines/support/processes.js';
import { until } from '../engines/support/waiting.js';
import { createKubeApiserver, type KubeApiserver } from './kube-apiserver.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const START_MS = 60_000;
const EVENTS = 'events.events.example.com';

let server: KubeApiserver;
let example: ChildProcess;
let kubectl: Kubectl;

const eventNamed = (name: string, namespace = 'default'): string =>
  JSON.stringify(newEvent(namespace, name, `${name} happened`));
const create = (name: string, namespace?: string): Promise<string> =>
  kubectl.ok(['create', '-f', '-'], { stdin: eventNamed(name, namespace) });

beforeAll(async () => {
  server = await createKubeApiserver();
  await server.start();
  const pathOf = (name: string): string => join(server.directory, name);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const kubeconfigPath = await server.writeKubeconfig('admin', { token: server.token }, 'default');
  kubectl = createKubectl({ binary: 'kubectl', kubeconfigPath, directory: server.directory });

  const name = 'shop.default.svc';
  const pem = await generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', algorithm: 'sha256' },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
  const files = { KUBECONFIG: kubeconfigPath, TLS_CERT: pathOf('shop.crt'), TLS_KEY: pathOf('shop.key') };
  await writeFile(files.TLS_CERT, pem.cert);
  await writeFile(files.TLS_KEY, pem.private);
  example = spawn(process.execPath, ['--import', 'tsx', 'examples/aggregated/main.ts'], {
    cwd: root,
    env: { ...process.env, ...files, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ownProcess(example);
  let output = '';
  example.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until('the example serves', () => output.includes('on port'), START_MS);
  const port = Number(/on port (\d+)/.exec(output)?.[1]);

  await kubectl.ok(['create', 'service', 'externalname', 'shop', '--external-name=localhost', `--tcp=${port}`]);
  const spec = {
    ...{ group: 'events.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10 },
    ...{ service: { namespace: 'default', name: 'shop', port }, caBundle: base64(pem.cert) },
  };
  const registration = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', spec };
  await kubectl.ok(['apply', '-f', '-'], {
    stdin: JSON.stringify({ ...registration, metadata: { name: 'v1.events.example.com' } }),
  });
  await kubectl.ok(['wait', '--for=condition=Available', '--timeout=10s', 'apiservice/v1.events.example.com']);
});

afterAll(async () => {
  example.kill('SIGKILL');
  await server.remove();
});

describe('the API behind the aggregation layer of kube-apiserver', () => {
  test('is discovered and explained by kubectl like every resource of the cluster', async () => {
    expect(await kubectl.ok(['api-resources', '--api-group=events.example.com'])).toMatch(
      /^events +ev +events\.example/m,
    );
    const explained = ['explain', 'events.series', '--api-version=events.example.com/v1'];
    await until(
      'kube-apiserver has merged the schemas',
      async () => (await kubectl.run(explained)).code === 0,
      START_MS,
    );
    expect(await kubectl.ok(explained)).toContain('lastObservedTime');
  });

  test('serves the verbs of kubectl, and watches show each change at once', async () => {
    const following = kubectl.follow(['get', EVENTS, '-w', '-o', 'name']);
    onTestFinished(() => void following.stop());
    expect(await create('a')).toBe('event.events.example.com/a created\n');
    await following.line(/\/a$/);
    await kubectl.ok(['apply', '--server-side', '-f', '-'], { stdin: eventNamed('b') });
    await following.line(/\/b$/);
    await kubectl.ok(['label', EVENTS, 'a', 'seen=yes']);
    expect((await kubectl.ok(['get', EVENTS, '-l', 'seen=yes', '-o', 'name'])).trim()).toBe(
      'event.events.example.com/a',
    );
    expect((await kubectl.run(['create', '-f', '-'], { stdin: eventNamed('a') })).stderr).toContain('AlreadyExists');
    await kubectl.ok(['delete', EVENTS, '--all']);
    expect((await kubectl.run(['get', EVENTS])).stderr).toContain('No resources found');
  });

  test('the RBAC rules of the cluster decide, and kube-apiserver impersonates', async () => {
    await kubectl.ok(['create', 'namespace', 'shop']);
    await create('c', 'shop');
    await kubectl.ok(['create', 'role', 'reader', '-n', 'shop', '--verb=list', `--resource=${EVENTS}`]);
    await kubectl.ok(['create', 'rolebinding', 'jane', '-n', 'shop', '--role=reader', '--group=readers, all']);
    const asJane = ['get', EVENTS, '--as=jane', '--as-group=readers, all', '-o', 'name'];
    expect(await kubectl.ok([...asJane, '-n', 'shop'])).toBe('event.events.example.com/c\n');
    const refused = await kubectl.run([...asJane, '-n', 'default']);
    expect(refused.stderr).toContain('User "jane" cannot list resource "events" in API group "events.example.com"');
  });

  test('SIGTERM ends the service, and watches end with it', async () => {
    const following = kubectl.follow(['get', EVENTS, '-A', '-w', '-o', 'name']);
    await following.line(/\/c$/);
    const ended = once(example, 'exit');
    example.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await following.stop();
  });
});
