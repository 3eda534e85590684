import type { PeerCertificate } from '../../http/request.js';

/** What is read of the socket of a TLS connection. */
export interface CertifiedSocket {
  /** True only when the client certificate was verified. */
  readonly authorized?: boolean | undefined;
  getPeerCertificate?(): unknown;
}

/**
 * The subject of the client certificate on a socket, only when TLS has verified it (`authorized`) and it has a common
 * name. Of several common names the last counts, as in Go.
 */
export function peerCertificateOf(socket: CertifiedSocket | null | undefined): PeerCertificate | undefined {
  if (socket?.authorized !== true || typeof socket.getPeerCertificate !== 'function') return undefined;
  const certificate = socket.getPeerCertificate() as { readonly subject?: Readonly<Record<string, unknown>> } | null;
  const subject = certificate?.subject;
  const commonName = texts(subject?.['CN']).at(-1);
  if (commonName === undefined || commonName === '') return undefined;
  return { commonName, organizations: texts(subject?.['O']) };
}

function texts(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((entry) => typeof entry === 'string');
}
