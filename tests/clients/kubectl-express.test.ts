import express from 'express';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownCertificate } from '../../src/cli/serve/certificates.js';
import { kubeconfig } from '../../src/cli/serve/kubeconfig.js';
import {
  allowAuthenticated,
  createEvents,
  createHealth,
  firstOf,
  memoryStore,
  staticTokens,
  type Events,
} from '../../src/index.js';
import { gracefulClose, toNodeListener } from '../../src/node.js';
import { describeWithKubectl } from './kubectl-binaries.js';
import { createKubectl, type Kubectl } from './kubectl.js';
import { EVENTS, GROUP } from './kubectl-session.js';
import { manifestText, series } from './manifests.js';

describeWithKubectl('kubectl against handlers mounted in Express', ([binary]) => {
  let directory: string;
  let events: Events;
  let server: Server;
  let kubectl: Kubectl;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kubectl-express-'));
    const hooks = { authenticate: staticTokens({ token: { name: 'ops' } }), authorize: allowAuthenticated() };
    events = createEvents({ ...hooks, apiDomain: 'example.com', store: memoryStore(), discovery: true });
    const app = express();
    app.use(express.json());
    app.get('/orders', (_request, response) => void response.json([]));
    app.use(toNodeListener(firstOf(createHealth(hooks).handle, events.handle)));
    const { cert, key, ca } = await ownCertificate(directory, '127.0.0.1');
    server = createServer({ cert, key }, app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const kubeconfigPath = join(directory, 'kubeconfig');
    await writeFile(kubeconfigPath, kubeconfig({ server: url, ca, token: 'token' }));
    kubectl = createKubectl({ binary: binary?.path ?? 'kubectl', kubeconfigPath, directory });
  });
  afterAll(async () => {
    await events.close();
    await gracefulClose(server);
    await rm(directory, { recursive: true, force: true });
  });

  it('creates, gets, watches, patches, applies and deletes through an Express service', async () => {
    const stdin = manifestText(GROUP, 'one');
    expect(await kubectl.ok(['create', '-f', '-'], { stdin })).toBe(`event.${GROUP}/one created\n`);
    expect(await kubectl.ok(['get', EVENTS, 'one', '-o', 'name'])).toBe(`event.${GROUP}/one\n`);
    const watch = kubectl.follow(['get', EVENTS, '-w', '-o', 'wide', '--output-watch-events']);
    await watch.line(/^ADDED .* one$/);
    await kubectl.ok(['patch', EVENTS, 'one', '-p', JSON.stringify({ series: series(2) })]);
    await watch.line(/^MODIFIED .* 2 +one$/);
    const applied = await kubectl.ok(['apply', '--server-side', '-f', '-'], { stdin: manifestText(GROUP, 'two') });
    expect(applied).toBe(`event.${GROUP}/two serverside-applied\n`);
    await kubectl.ok(['delete', EVENTS, 'one']);
    await watch.line(/^DELETED .* one$/);
    await watch.stop();
    expect(await kubectl.ok(['get', '--raw', '/readyz'])).toBe('ok');
    expect(await kubectl.ok(['get', '--raw', '/orders'])).toBe('[]');
  });
});
