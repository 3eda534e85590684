import { pause } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import { messageOf } from '../../model/error-message.js';
import type { ServingCertificate } from './certificates.js';

export interface CertificateInUse {
  readonly current: () => ServingCertificate;
  readonly replace: (certificate: ServingCertificate) => void;
  readonly onReplaced: (listener: (certificate: ServingCertificate) => void) => void;
}

export function certificateInUse(first: ServingCertificate): CertificateInUse {
  let certificate = first;
  const listeners: ((certificate: ServingCertificate) => void)[] = [];
  return {
    current: () => certificate,
    replace(next) {
      certificate = next;
      for (const listener of listeners) listener(next);
    },
    onReplaced: (listener) => void listeners.push(listener),
  };
}

/** How often the files are read again, as kube-apiserver does. */
const CHECK_MS = 60_000;

interface Renewal {
  readonly inUse: CertificateInUse;
  readonly load: (current: ServingCertificate) => Promise<ServingCertificate>;
  readonly log: (line: string) => void;
  readonly clock: Clock;
}

/** Replaces the certificate when another one is loaded, until it is stopped. A fault is logged once while it lasts. */
export function keepRenewing({ inUse, load, log, clock }: Renewal): { readonly stop: () => void } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let fault: string | undefined;

  async function check(): Promise<void> {
    const current = inUse.current();
    const next = await load(current);
    fault = undefined;
    if (signal.aborted || next.cert === current.cert) return;
    inUse.replace(next);
    log('the certificate of the HTTPS port was replaced; open connections keep the former one');
  }

  async function keepChecking(): Promise<void> {
    for (;;) {
      await pause(clock, CHECK_MS, signal);
      if (signal.aborted) return;
      await check().catch((error: unknown) => {
        const message = messageOf(error);
        if (message !== fault) log(`the certificate of the HTTPS port stays as it is: ${message}`);
        fault = message;
      });
    }
  }

  void keepChecking();
  return { stop: () => stopping.abort() };
}
