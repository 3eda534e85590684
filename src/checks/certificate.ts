import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { systemClock, type Clock } from '../clock/clock.js';
import type { CheckResult, HealthCheck } from '../health/contract.js';
import { aClock, aNonEmptyString, aNumber, aWholeNumber } from '../options/rules.js';
import { makeCheck, type CommonOptions } from './make-check.js';
import { whileConnected } from './network.js';

/** Options of {@link certificateCheck}. Set either `file` or `host`. */
export type CertificateOptions = CommonOptions & {
  /**
   * A file with a certificate (PEM or DER), read at every run. If it has several certificates, the first one is
   * checked.
   */
  readonly file?: string | undefined;
  /**
   * A server whose certificate is checked. Only the expiry is checked, not whether the certificate is trusted. The check
   * of a server that requires a client certificate needs TLS 1.3.
   */
  readonly host?: string | undefined;
  /** Default: 443. */
  readonly port?: number | undefined;
  /** The server name (SNI) to send, if it is not `host`. */
  readonly servername?: string | undefined;
  /** With less time left the check is degraded, in milliseconds. Default: 604,800,000 (7 days). */
  readonly minRemainingMs?: number | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
};

const DAY_MS = 86_400_000;

/**
 * Degraded when a certificate expires within 7 days, failed once it has expired (or is not valid yet).
 *
 * Do not put it into `livez`: a restart renews nothing. It does not replace an alert, which can warn weeks earlier. It
 * may check the service's own port, since only the dates are read.
 *
 * @throws TypeError that lists every fault of the options
 */
export function certificateCheck(options: CertificateOptions): HealthCheck {
  return makeCheck(options, {
    where: 'certificateCheck',
    name: 'certificate',
    dependency: true,
    rules: {
      file: aNonEmptyString,
      host: aNonEmptyString,
      port: aWholeNumber(1, 65_535),
      servername: aNonEmptyString,
      minRemainingMs: aNumber(0),
      clock: aClock,
    },
    crossCheck: ({ file, host }) => [(file === undefined) === (host === undefined) && 'set either file or host'],
    timing: { cacheMs: 60_000 },
    check: async ({ signal }): Promise<CheckResult> => {
      const { file, minRemainingMs = 7 * DAY_MS, clock = systemClock } = options;
      const certificate = new X509Certificate(
        file === undefined ? await served(options, signal) : await readFile(file),
      );
      const now = clock.now() / 1000;
      const leftMs = Date.parse(certificate.validTo) - now;
      if (leftMs <= 0) return { ok: false, reason: `expired at ${certificate.validTo}` };
      if (Date.parse(certificate.validFrom) > now)
        return { ok: false, reason: `not valid before ${certificate.validFrom}` };
      if (leftMs >= minRemainingMs) return true;
      const days = (leftMs / DAY_MS).toFixed(1);
      return { ok: false, reason: `expires in ${days} days, at ${certificate.validTo}`, critical: false };
    },
  });
}

function served(
  // Only names are sent as SNI, because addresses are not allowed there (RFC 6066).
  { host = '', port = 443, servername = isIP(host) ? '' : host }: CertificateOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const socket = connect({ host, port, servername, rejectUnauthorized: false });
  return whileConnected(socket, 'secureConnect', signal, () => socket.getPeerCertificate().raw);
}
