import type { EtcdTlsOptions } from './options.js';

/** What `node:https` wants to know. */
export interface HttpsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
}

/** The options of the store in the words of `node:https`. */
export function httpsOptions(tls: EtcdTlsOptions | undefined): HttpsOptions {
  return {
    ...(tls?.ca !== undefined && { ca: tls.ca as string }),
    ...(tls?.cert !== undefined && { cert: tls.cert as string }),
    ...(tls?.key !== undefined && { key: tls.key as string }),
    ...(tls?.serverName !== undefined && { servername: tls.serverName }),
  };
}
