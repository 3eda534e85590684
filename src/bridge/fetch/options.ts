import type { PeerCertificate } from '../../http/request.js';
import type { BridgeOptions } from '../options.js';

/** Options of `toFetchHandler`. */
export type FetchHandlerOptions = BridgeOptions;

/** What a fetch `Request` cannot tell and the server around it may know. */
export interface FetchInfo {
  /** The address of the client's socket, without port. */
  readonly remoteAddress?: string | undefined;
  /** The subject of the client certificate; give it only when TLS has *verified* the certificate. */
  readonly peerCertificate?: PeerCertificate | undefined;
}
