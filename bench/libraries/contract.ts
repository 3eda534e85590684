import type { Target } from '../protocol.js';

/** Clients of events that are compared; the bare loop over undici is what all are measured by. */
export const LIBRARIES = ['undici', 'kube-vitals', 'client-node'] as const;
export type LibraryName = (typeof LIBRARIES)[number];

/** Requests at a time, which is the recorder's default. */
export const IN_FLIGHT = 4;

/** What a library can be told to do. Each resolves when the server has, or has sent, all of it. */
export interface Library {
  /** Records events that are all different. */
  record(bodies: readonly EventBody[]): Promise<void>;
  /** Records equal events: as often as the number says, about one object. */
  recordEqual(body: EventBody, times: number): Promise<void>;
  create(bodies: readonly EventBody[]): Promise<void>;
  get(names: readonly string[]): Promise<void>;
  /** Watches from the beginning until so many events were received. */
  watch(count: number): Promise<void>;
  /** Follows events from those that exist on, as controllers do, until so many were received. */
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
  /** Names of the job begin with it: those of another job are others. */
  readonly tag: string;
}

export interface LibraryResult {
  readonly perSecond: number;
  /** Of this process, for each event, in microseconds. */
  readonly cpuUs: number;
}

/** Memory that a recorder takes for events that it cannot write. */
export interface HeldResult {
  readonly heapMb: number;
  readonly rssMb: number;
  readonly pending: number;
}

export const NAMESPACE = 'bench-libraries';

/** Calls `run` for each item, so many at a time. */
export async function eachInFlight<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) await run(items[next++] as T);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}
