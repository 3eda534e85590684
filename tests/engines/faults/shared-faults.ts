import type { Database } from '../support/databases.js';
import type { Server } from '../support/standalone.js';
import type { Fault } from './fault.js';

/** Two servers over one database, one of which is connected through a proxy that can disturb. */
export interface Replicas {
  readonly database: () => Database;
  readonly direct: () => Server;
  readonly byProxy: () => Server;
}

/** Faults of any database behind a network. */
export function sharedFaults({ database, direct, byProxy }: Replicas): readonly Fault[] {
  const heal = async (): Promise<void> => {
    database().proxies.forEach((proxy) => proxy.heal());
    await (await database().victims()).resume();
  };
  return [
    killServer(direct),
    {
      name: 'kill-database',
      async happens({ unready, moreFailures, healing }) {
        const victims = await database().victims();
        await victims.kill();
        await moreFailures(6);
        await unready(direct(), byProxy());
        healing();
        await victims.restart();
      },
    },
    {
      name: 'freeze-database',
      async happens({ unready, moreFailures, healing }) {
        const victims = await database().victims();
        await victims.freeze();
        // One failure for each of the six clients, although the database returns nothing.
        await moreFailures(6);
        await unready(direct(), byProxy());
        healing();
        await victims.resume();
      },
      after: heal,
    },
    {
      name: 'cut-connections',
      async happens({ moreAcknowledged, healing }) {
        for (let cuts = 0; cuts < 5; cuts++) {
          healing();
          database().proxies.forEach((proxy) => proxy.cut());
          await moreAcknowledged(30);
        }
      },
    },
    {
      name: 'black-hole',
      async happens({ moreAcknowledged, unready, healing }) {
        database().proxies.forEach((proxy) => proxy.swallow());
        await unready(byProxy());
        // Half of the calls go to the server that is not affected.
        await moreAcknowledged(6);
        healing();
        database().proxies.forEach((proxy) => proxy.heal());
      },
      after: heal,
    },
    {
      name: 'slow-network',
      async happens({ moreAcknowledged, healing }) {
        database().proxies.forEach((proxy) => proxy.delay(40));
        await moreAcknowledged(50);
        healing();
        database().proxies.forEach((proxy) => proxy.heal());
      },
      after: heal,
    },
  ];
}

/** SIGKILL to one of our processes while it writes. */
export function killServer(server: () => Server): Fault {
  return {
    name: 'kill-server',
    async happens({ healing }) {
      await server().kill();
      healing();
      await server().start();
    },
  };
}
