import { createServer as createHttpServer, type Server as HttpServer, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gracefulClose, trackConnections, type NodeListener } from 'kube-vitals/node';
import type { ServingCertificate } from './certificates.js';
import type { Flags } from './flags.js';

/** The two ports, open. */
export interface Servers {
  /** `https://127.0.0.1:6443`, as a client on this machine reaches it. */
  readonly secureUrl: string;
  readonly insecureUrl: string | undefined;
  /** Refuses new connections at once; resolves when the open ones have ended, or were cut after the limit. */
  readonly close: (drainTimeoutMs: number) => Promise<void>;
}

/** What the original has: longer than a load balancer keeps an idle connection, headers of up to 1 MiB. */
const LIMITS: ServerOptions = { keepAliveTimeout: 90_000, headersTimeout: 32_000, maxHeaderSize: 1_048_576 };

/** Opens the ports that the flags name. When one cannot be opened, none stays open. */
export async function openServers(
  flags: Flags,
  certificate: ServingCertificate,
  listener: NodeListener,
): Promise<Servers> {
  const { cert, key } = certificate;
  const secure = createHttpsServer({ ...LIMITS, cert, key, minVersion: 'TLSv1.2' }, listener);
  const open = [{ server: secure as HttpServer | HttpsServer, connections: trackConnections(secure) }];
  const securePort = await listen(secure, flags.bindAddress, flags.securePort, '--secure-port');
  let insecureUrl: string | undefined;
  if (flags.insecurePort !== 'off') {
    const insecure = createHttpServer(LIMITS, listener);
    try {
      const port = await listen(insecure, flags.bindAddress, flags.insecurePort, '--insecure-port');
      insecureUrl = `http://${reachable(flags.bindAddress)}:${port}`;
    } catch (error) {
      secure.close();
      throw error;
    }
    open.push({ server: insecure, connections: trackConnections(insecure) });
  }
  return {
    secureUrl: `https://${reachable(flags.bindAddress)}:${securePort}`,
    insecureUrl,
    async close(drainTimeoutMs) {
      await Promise.all(open.map(({ server, connections }) => gracefulClose(server, { drainTimeoutMs, connections })));
    },
  };
}

function listen(server: HttpServer | HttpsServer, host: string, port: number, flag: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint = error.code === 'EADDRINUSE' ? `is taken; choose another with ${flag}, or 0 for any` : error.message;
      reject(new Error(`port ${port} of ${host} ${hint}`));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** An address to connect to, for one to listen on. */
function reachable(bindAddress: string): string {
  if (bindAddress === '0.0.0.0') return '127.0.0.1';
  if (bindAddress === '::') return '[::1]';
  return bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
}
