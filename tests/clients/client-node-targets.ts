import { KubeConfig } from '@kubernetes/client-node';
import express from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { allowAuthenticated, createEvents, createHealth, firstOf, memoryStore, staticTokens } from '../../src/index.js';
import { gracefulClose, toNodeListener } from '../../src/node.js';
import { startStandalone } from './standalone.js';

/** A server that the client library speaks to. */
export interface Target {
  readonly kubeConfig: KubeConfig;
  readonly stop: () => Promise<void>;
}

/** A kind of server, started with the API domain it serves. */
export interface TargetKind {
  readonly name: string;
  readonly start: (apiDomain: string) => Promise<Target>;
}

const TOKEN = 'token-of-the-client-tests';

/** The example server over HTTPS, with its own kubeconfig. */
const standalone: TargetKind = {
  name: 'the standalone server',
  async start(apiDomain) {
    const server = await startStandalone('--api-domain', apiDomain);
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(server.kubeconfigPath);
    return {
      kubeConfig,
      async stop() {
        const code = await server.stop();
        if (code !== 0) throw new Error(`the server ended with ${code}: ${server.log()}`);
      },
    };
  },
};

/** A service with a body parser of its own, over plain HTTP in this process. */
const mounted: TargetKind = {
  name: 'handlers mounted in Express',
  async start(apiDomain) {
    const authenticate = staticTokens({ [TOKEN]: { name: 'client' } });
    const authorize = allowAuthenticated();
    const store = memoryStore();
    const health = createHealth({ authenticate, authorize });
    const events = createEvents({ apiDomain, store, authenticate, authorize, coreV1: true });
    const closing = new AbortController();
    const app = express();
    app.use(express.json());
    app.use(toNodeListener(firstOf(health.handle, events.handle), { signal: closing.signal }));
    const server = createServer(app);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromClusterAndUser(
      // The library refuses plain HTTP unless TLS verification is off.
      { name: 'mounted', server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, skipTLSVerify: true },
      { name: 'client', token: TOKEN },
    );
    return {
      kubeConfig,
      async stop() {
        closing.abort();
        await gracefulClose(server);
        health.close();
        await events.close();
        await store.close();
      },
    };
  },
};

export const targets: readonly TargetKind[] = [standalone, mounted];

/** A kubeconfig with the same cluster and user, whose server is at another port. */
export function throughPort(kubeConfig: KubeConfig, port: number): KubeConfig {
  const cluster = kubeConfig.getCurrentCluster();
  const user = kubeConfig.getCurrentUser();
  if (cluster === null || user === null) throw new Error('the kubeconfig has no current cluster or user');
  const through = new KubeConfig();
  const url = new URL(cluster.server);
  url.port = String(port);
  through.loadFromClusterAndUser({ ...cluster, server: url.origin }, user);
  return through;
}

/** The port of the current cluster. */
export function portOf(kubeConfig: KubeConfig): number {
  return Number(new URL(kubeConfig.getCurrentCluster()?.server ?? '').port);
}
