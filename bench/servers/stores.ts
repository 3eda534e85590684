import { cachedStore, memoryStore, type EventStore } from 'kube-vitals';
import type { StoreKind, VitalsServerOptions } from '../protocol.js';

type Factory = (options: object) => EventStore;

/** The engine's factory, from the package as it was built. */
async function factory(kind: Exclude<StoreKind, 'memory'>): Promise<Factory> {
  // A computed name, which the compiler does not follow, so that the benchmark also runs on a build without the engine.
  const entry = `kube-vitals/${kind}`;
  const exported = ((await import(entry)) as Readonly<Record<string, Factory | undefined>>)[`${kind}Store`];
  if (!exported) throw new Error(`this build of kube-vitals has no ${kind}Store`);
  return exported;
}

export async function openStore(options: VitalsServerOptions): Promise<EventStore> {
  const store = await openSyncStore(options);
  return options.cached ? cachedStore(store, { historyMs: options.historyMs }) : store;
}

async function openSyncStore({ store, location, historyMs }: VitalsServerOptions): Promise<EventStore> {
  switch (store) {
    case 'memory':
      return memoryStore({ historyMs });
    case 'sqlite':
      return (await factory(store))({ path: location, historyMs });
    case 'postgres':
      return (await factory(store))({ connectionString: location, historyMs });
    case 'etcd':
      return (await factory(store))({ endpoints: location.split(';'), historyMs });
  }
}
