import { serve, shutDown } from './service.js';

// Watches may be silent for longer than the 10 s after which Bun closes an idle connection.
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: serve });
process.once('SIGTERM', () => void shutDown(() => server.stop()));
console.log(`port ${server.port}`);
