import { EventsV1Api, KubeConfig, makeInformer, V1MicroTime, Watch } from '@kubernetes/client-node';
import type { Target } from '../protocol.js';
import { eachInFlight, NAMESPACE, type EventBody, type Library } from './contract.js';
import { named } from './undici.js';

/** The client of the Kubernetes project, as its examples use it. */
export function clientNode({ host, port, base, token }: Target): Library {
  const config = new KubeConfig();
  // Plain HTTP is refused unless certificates are not verified.
  const cluster = { name: 'bench', server: `http://${host}:${port}`, skipTLSVerify: true };
  config.loadFromClusterAndUser(cluster, { name: 'bench', token });
  const api = config.makeApiClient(EventsV1Api);
  const create = async (body: EventBody): Promise<void> => {
    const eventTime = new V1MicroTime(body.eventTime);
    await api.createNamespacedEvent({ namespace: NAMESPACE, body: { ...body, eventTime } });
  };
  return {
    record: (bodies) => eachInFlight(bodies, create),
    recordEqual: (body, times) =>
      eachInFlight(
        Array.from({ length: times }, (_, index) => named(body, index)),
        create,
      ),
    create: (bodies) => eachInFlight(bodies, create),
    get: (names) => eachInFlight(names, (name) => api.readNamespacedEvent({ namespace: NAMESPACE, name })),
    async watch(count) {
      let frames = 0;
      let done = (): void => undefined;
      const all = new Promise<void>((resolve) => (done = resolve));
      const path = `${base}/namespaces/${NAMESPACE}/events`;
      const request = await new Watch(config).watch(
        path,
        { resourceVersion: '0' },
        () => {
          frames += 1;
          if (frames === count) done();
        },
        () => done(),
      );
      await all;
      request.abort();
      if (frames < count) throw new Error(`the watch ended after ${frames} frames`);
    },
    async follow(count) {
      const path = `${base}/namespaces/${NAMESPACE}/events`;
      const informer = makeInformer(config, path, () => api.listNamespacedEvent({ namespace: NAMESPACE }));
      let received = 0;
      const all = new Promise<void>((resolve, reject) => {
        informer.on('add', () => {
          received += 1;
          if (received === count) resolve();
        });
        informer.on('error', reject);
      });
      await Promise.all([informer.start(), all]);
      await informer.stop();
    },
    close: async () => undefined,
  };
}
