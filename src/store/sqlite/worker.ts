// The thread that has the database open: the program `sqlite-worker.js` of the package.
import { parentPort, workerData } from 'node:worker_threads';
import { loadDriver } from './driver.js';
import { messageOf } from '../../model/error-message.js';
import { openSyncStore, type SyncStore } from './sync-store.js';
import { respond, type FromWorker, type ToWorker, type WorkerStart } from './respond.js';

async function run({ options, now }: WorkerStart): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('sqlite-worker.js is started by sqliteStore, not by hand');
  let store: SyncStore;
  try {
    store = openSyncStore(await loadDriver(options.driver), options, now);
  } catch (error) {
    port.postMessage({ kind: 'failed', message: messageOf(error) });
    return;
  }
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'close') {
      store.close();
      port.close();
      return;
    }
    const body = respond(store, message.kind, message.body);
    port.postMessage({ kind: 'response', body, latest: store.latest } satisfies FromWorker);
  });
  port.postMessage({ kind: 'ready', latest: store.latest } satisfies FromWorker);
}

void run(workerData as WorkerStart);
