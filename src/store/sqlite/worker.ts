// The thread that has the database open: the program `sqlite-worker.js` of the package.
import { parentPort, workerData } from 'node:worker_threads';
import { loadDriver } from './driver.js';
import { messageOf } from '../../model/error-message.js';
import { openEngine, type SqliteEngine } from './engine.js';
import { serve, type ToWorker, type WorkerStart } from './serve.js';

async function run({ options, now }: WorkerStart): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('sqlite-worker.js is started by sqliteStore, not by hand');
  let engine: SqliteEngine;
  try {
    engine = openEngine(await loadDriver(options.driver), options, now);
  } catch (error) {
    port.postMessage({ kind: 'failed', message: messageOf(error) });
    return;
  }
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'close') {
      engine.close();
      port.close();
      return;
    }
    const body = serve(engine, message.kind, message.body);
    port.postMessage({ kind: 'response', body }, [body]);
  });
  port.postMessage({ kind: 'ready' });
}

void run(workerData as WorkerStart);
