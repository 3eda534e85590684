import { pause } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import { messageOf } from '../../model/error-message.js';
import type { ServingCertificate } from './certificates.js';

export type CertificateInUse = ReturnType<typeof certificateInUse>;

export function certificateInUse(first: ServingCertificate) {
  let certificate = first;
  const listeners: ((certificate: ServingCertificate) => void)[] = [];
  return {
    current: (): ServingCertificate => certificate,
    replace(next: ServingCertificate): void {
      certificate = next;
      for (const listener of listeners) listener(next);
    },
    onReplaced: (listener: (certificate: ServingCertificate) => void): void => void listeners.push(listener),
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
