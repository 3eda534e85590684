import type { EndSignal } from '../command-line/command.js';
import type { ServingCertificate } from './certificates.js';
import type { AccessFiles } from './preparation.js';
import type { Addresses } from './servers.js';

export interface Assignment {
  /** Counted from 1. A worker that replaces another has the same number. */
  readonly number: number;
  readonly access: AccessFiles;
  readonly certificate: ServingCertificate;
  /** The ports that all workers listen on; none of them is 0. */
  readonly ports: { readonly securePort: number; readonly insecurePort: number | 'off' };
}

export type ToWorker =
  | { readonly type: 'start'; readonly assignment: Assignment }
  | { readonly type: 'signal'; readonly signal: EndSignal }
  | { readonly type: 'certificate'; readonly certificate: ServingCertificate }
  /** Asks for the metrics of this worker: all, or the named one. */
  | { readonly type: 'metrics.wanted'; readonly id: number; readonly name?: string | undefined }
  /** The metrics of all workers, which this one has requested. */
  | { readonly type: 'metrics.gathered'; readonly id: number; readonly texts: readonly string[] };

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'serving'; readonly addresses: Addresses }
  | { readonly type: 'failed'; readonly reason: string }
  | MetricsFromWorker;

export type MetricsFromWorker =
  /** Asks for the metrics of all workers. */
  | { readonly type: 'metrics.requested'; readonly id: number; readonly name?: string | undefined }
  /** The metrics of this worker, with the id of the request. */
  | { readonly type: 'metrics.response'; readonly id: number; readonly text: string };
