import type { Server } from 'node:http';

/**
 * Limits what connections may cost before their caller is known. None of these limits affects a response, so watches
 * last; `server.timeout` and `socket.setTimeout` would cut them. Headers are at most 16 KiB, as Node has it.
 */
export function limited<S extends Server>(server: S): S {
  server.maxConnections = 5_000; // further ones are closed at once
  server.headersTimeout = 30_000; // until the headers are there
  server.requestTimeout = 120_000; // until the body is there as well
  server.keepAliveTimeout = 75_000; // between two requests; longer than a load balancer keeps a connection
  // TCP keep-alive detects a client that is gone: a watch that has nothing to send would not.
  server.on('connection', (socket) => socket.setKeepAlive(true, 30_000));
  return server;
}
