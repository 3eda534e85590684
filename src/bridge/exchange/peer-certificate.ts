import type { PeerCertificate } from '../../http/request.js';
import type { NodeSocket } from './node-socket.js';

/** Returns the subject of a verified client certificate. Of several common names the last one is used, as in Go. */
export function peerCertificateOf(
  socket: Pick<NodeSocket, 'authorized' | 'getPeerCertificate'> | null | undefined,
): PeerCertificate | undefined {
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
