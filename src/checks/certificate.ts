import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:tls';
import { systemClock, type Clock } from '../clock/clock.js';
import type { CheckResult, HealthCheck } from '../health/contract.js';
import { aClock, aNonEmptyString, aNumber, aWholeNumber } from '../options/rules.js';
import { makeCheck, type CommonOptions } from './make-check.js';
import { whileConnected } from './network.js';

/** Options of {@link certificateCheck}. Either `file`, or `host`. */
export type CertificateOptions = CommonOptions & {
  /** A file with a certificate (PEM or DER), read at every run. Of several certificates the first one counts. */
  readonly file?: string | undefined;
  /** A server that is asked for its certificate. Whether it is trusted is not checked: only when it expires. */
  readonly host?: string | undefined;
  /** Default 443. */
  readonly port?: number | undefined;
  /** The name asked for, where it is not `host`. */
  readonly servername?: string | undefined;
  /** With less time left the check is degraded, in milliseconds. Default 604,800,000 (7 days). */
  readonly minRemainingMs?: number | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
};

const DAY_MS = 86_400_000;

/**
 * Degraded when a certificate expires within 7 days, failed once it has expired (or is not valid yet).
 *
 * Do not put it into `livez`: a restart renews nothing. It is no substitute for an alert, which can say so weeks before. Asking the service's
 * own port is fine, since only the date is looked at.
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
    crossCheck: ({ file, host }) => [(file === undefined) === (host === undefined) && 'give file, or host'],
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

function served({ host, port = 443, servername }: CertificateOptions, signal: AbortSignal): Promise<Uint8Array> {
  const socket = connect({
    ...(host !== undefined && { host }),
    port,
    // Names are sent, addresses must not be (RFC 6066).
    ...(servername !== undefined
      ? { servername }
      : host !== undefined && !/^[\d.]+$|:/.test(host) && { servername: host }),
    rejectUnauthorized: false,
  });
  return whileConnected(socket, 'secureConnect', signal, () => socket.getPeerCertificate().raw);
}
