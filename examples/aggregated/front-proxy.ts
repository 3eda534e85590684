import type { IncomingMessage } from 'node:http';
import type { Authenticate } from 'kube-vitals';

const EXTRA = 'x-remote-extra-';

/**
 * Authenticates the callers of kube-apiserver, which names them in headers and proves by its own client certificate that
 * it does. `allowedNames`: the common names of that certificate; none allows every one.
 *
 * The server may trust no authority for client certificates but that of the front proxy: whoever has a certificate with
 * one of these names can act as any user.
 */
export function frontProxy(allowedNames: readonly string[]): Authenticate {
  return ({ peerCertificate, framework }) => {
    if (peerCertificate === undefined) return undefined;
    if (allowedNames.length > 0 && !allowedNames.includes(peerCertificate.commonName)) return undefined;
    // Not the `headers`, in which lines with the same name are joined by commas: the name of a group may contain one.
    const { headersDistinct: headers } = framework as IncomingMessage;
    const values = (name: string): readonly string[] => headers[name]?.map(utf8) ?? [];
    const [name] = values('x-remote-user');
    if (name === undefined || name === '') return undefined;
    const extra: [string, readonly string[]][] = [];
    for (const header of Object.keys(headers)) {
      if (header.startsWith(EXTRA)) extra.push([decodeURIComponent(header.slice(EXTRA.length)), values(header)]);
    }
    const [uid] = values('x-remote-uid');
    return { name, uid, groups: values('x-remote-group'), extra: Object.fromEntries(extra) };
  };
}

/** Go sends UTF-8, which Node reads as Latin-1. */
function utf8(value: string): string {
  return Buffer.from(value, 'latin1').toString();
}
