import { createServer as createHttpServer, type Server as HttpServer, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { BlockList, isIPv6, type AddressInfo } from 'node:net';
import { gracefulClose, trackConnections, type NodeListener } from '../../node.js';
import type { CertificateInUse } from './certificate-in-use.js';
import type { ServingCertificate } from './certificates.js';
import type { Flags } from './flags.js';

export interface Addresses {
  /** `https://127.0.0.1:6443`, as a client on this machine reaches it. */
  readonly secureUrl: string;
  readonly insecureUrl?: string | undefined;
  readonly insecureHealthOnly: boolean;
}

export interface Servers extends Addresses {
  /** Refuses new connections at once; resolves when the open ones have ended, or were cut after the limit. */
  readonly close: (drainTimeoutMs: number) => Promise<void>;
}

/**
 * Limits on clients that have not authenticated. No timeout concerns responses: TCP keep-alive probes those of watches.
 * There is no HTTP/2, so that a connection has one request at a time.
 */
const LIMITS: ServerOptions = {
  maxHeaderSize: 65_536,
  /** Until the headers are complete, from the first byte or the opening of the connection. */
  headersTimeout: 32_000,
  /** Until the body is complete as well: 3 MiB at 27 kB/s. */
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than a load balancer keeps an idle connection. */
  keepAliveTimeout: 90_000,
  /** TCP detects a peer that has vanished, even if a watch has nothing to send. */
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};
/** Connections that wait to be accepted: Node's 511 overflow when hundreds of clients reconnect at once. */
const BACKLOG = 4_096;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const DROP_LOG_MS = 60_000;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
LOOPBACK.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

/** If one port cannot be opened, the others are closed. An HTTP port that is not on loopback gets `healthOnly`. */
export async function openServers(
  flags: Flags,
  certificate: CertificateInUse,
  { all, healthOnly }: Readonly<Record<'all' | 'healthOnly', NodeListener>>,
  log: (line: string) => void,
): Promise<Servers> {
  const limited = <S extends HttpServer | HttpsServer>(server: S, flag: string): S => {
    server.maxConnections = flags.maxConnections;
    let quietUntil = 0;
    server.on('drop', () => {
      const now = performance.now();
      if (now < quietUntil) return;
      quietUntil = now + DROP_LOG_MS;
      log(`${flag}: connections are closed, because ${flags.maxConnections} are open (--max-connections)`);
    });
    return server;
  };
  const tls = ({ cert, key }: ServingCertificate) => ({ cert, key, minVersion: 'TLSv1.2' }) as const;
  const secure = limited(
    createHttpsServer({ ...LIMITS, ...tls(certificate.current()), handshakeTimeout: HANDSHAKE_TIMEOUT_MS }, all),
    '--secure-port',
  );
  certificate.onReplaced((next) => secure.setSecureContext(tls(next)));
  const open = [{ server: secure as HttpServer | HttpsServer, connections: trackConnections(secure) }];
  const securePort = await listen(secure, flags.bindAddress, flags.securePort, '--secure-port');
  let insecureUrl: string | undefined;
  let insecureHealthOnly = false;
  if (flags.insecurePort !== 'off') {
    const insecure = limited(createHttpServer(LIMITS), '--insecure-port');
    try {
      const port = await listen(insecure, flags.bindAddress, flags.insecurePort, '--insecure-port', (address) => {
        // The address that was bound is decisive: the flag may be a name.
        insecureHealthOnly = !flags.insecurePortAcceptsCredentialsInTheClear && !isLoopback(address);
        insecure.on('request', insecureHealthOnly ? healthOnly : all);
      });
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
    insecureHealthOnly,
    async close(drainTimeoutMs) {
      await Promise.all(open.map(({ server, connections }) => gracefulClose(server, { drainTimeoutMs, connections })));
    },
  };
}

export function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function listen(
  server: HttpServer | HttpsServer,
  host: string,
  port: number,
  flag: string,
  bound: (address: string) => void = () => undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint =
        error.code === 'EADDRINUSE'
          ? `is taken; choose another with ${flag}, or 0 for any`
          : `cannot be opened (--bind-address, ${flag}): ${error.message}`;
      reject(new Error(`port ${port} of ${host} ${hint}`));
    });
    server.listen({ port, host, backlog: BACKLOG }, () => {
      const address = server.address() as AddressInfo;
      // This happens before the first request can be read.
      bound(address.address);
      resolve(address.port);
    });
  });
}

function reachable(bindAddress: string): string {
  if (bindAddress === '0.0.0.0') return '127.0.0.1';
  if (bindAddress === '::') return '[::1]';
  return bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
}
