import type { Target } from '../protocol.js';

/** Clients of events that are compared; ratios are to the bare loop over undici. */
export const LIBRARIES = ['undici', 'kube-vitals', 'client-node'] as const;
export type LibraryName = (typeof LIBRARIES)[number];

/** Requests at a time, which is the recorder's default. */
export const IN_FLIGHT = 4;

/** The tasks of a library. Each resolves once the server has stored, or has sent, everything. */
export interface Library {
  /** Records events that are all different. */
  record(bodies: readonly EventBody[]): Promise<void>;
  /** Records this many equal events about one object. */
  recordEqual(body: EventBody, times: number): Promise<void>;
  create(bodies: readonly EventBody[]): Promise<void>;
  get(names: readonly string[]): Promise<void>;
  /** Watches from the beginning until this many events were received. */
  watch(count: number): Promise<void>;
  /** Follows events, beginning with those that exist, as controllers do, until this many were received. */
  follow(count: number): Promise<void>;
  close(): Promise<void>;
}

/** An event as it is sent. */
export interface EventBody {
  readonly apiVersion: string;
  readonly kind: 'Event';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly regarding: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly note: string;
  readonly type: 'Normal';
}

export type LibraryWork = Exclude<keyof Library, 'close'>;

export interface LibraryJob {
  readonly target: Target;
  readonly work: LibraryWork;
  /** Events of the job. */
  readonly count: number;
  /** The beginning of the names of the job, which differs from that of other jobs. */
  readonly tag: string;
}

export interface LibraryResult {
  readonly perSecond: number;
  /** CPU time of this process for each event, in microseconds. */
  readonly cpuUs: number;
}

/** The memory of a recorder for events that it cannot write. */
export interface HeldResult {
  readonly heapMb: number;
  readonly rssMb: number;
  readonly pending: number;
}

export const NAMESPACE = 'bench-libraries';

/** Calls `run` for each item, {@link IN_FLIGHT} at a time. */
export async function eachInFlight<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) await run(items[next++] as T);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}
