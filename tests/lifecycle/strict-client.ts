import { strictLoad, type Target } from './strict-load.js';

/** Runs the strict clients in a separate process: in that of the server they would hold up its event loop. */
process.on('message', (target: Target) => {
  const load = strictLoad(target);
  void load.warm.then(() => process.send?.('warm'));
  void load.ended.then(() => process.send?.(load.outcome));
});
process.send?.('ready');
