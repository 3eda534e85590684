import { serve, shutDown } from './service.js';

const onListen = ({ port }) => console.log(`port ${port}`);
const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, serve);
const stop = () => {
  Deno.removeSignalListener('SIGTERM', stop);
  void shutDown(() => server.shutdown());
};
Deno.addSignalListener('SIGTERM', stop);
