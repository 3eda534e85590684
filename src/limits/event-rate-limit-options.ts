/** What a limit counts by, as the types of kube-apiserver's EventRateLimit admission. */
export type EventRateLimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject';

/** One limit on how many events are written, as the configuration of kube-apiserver's EventRateLimit admission has it. */
export interface EventRateLimit {
  /**
   * Whose writes share a token bucket: all (`Server`), those to a namespace, those of a user, or those with the same source
   * (component and host) about the same object. Events of the newer form name no source, so theirs share that of the object.
   */
  readonly type: EventRateLimitType;
  /** Tokens a second: how many writes go on for ever. Above 0. */
  readonly qps: number;
  /** The size of a bucket: how many writes may come at once. A positive whole number. */
  readonly burst: number;
  /** How many buckets are kept, those used last. A bucket that was dropped begins full. Default 4,096. `Server` has one. */
  readonly cacheSize?: number | undefined;
}

const TYPES: ReadonlySet<unknown> = new Set(['Server', 'Namespace', 'User', 'SourceAndObject']);
const FIELDS: ReadonlySet<string> = new Set(['type', 'qps', 'burst', 'cacheSize']);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

/** What is wrong with the limits, one sentence a fault. */
export function eventRateLimitFaults(limits: unknown): readonly string[] {
  if (!Array.isArray(limits)) return ['eventRateLimits must be a list such as [{ type: "User", qps: 50, burst: 100 }]'];
  return limits.flatMap((limit: unknown, index) => faultsOf(limit).map((fault) => `eventRateLimits[${index}]${fault}`));
}

function faultsOf(limit: unknown): readonly string[] {
  if (typeof limit !== 'object' || limit === null) return [' must be an object with type, qps and burst'];
  const { type, qps, burst, cacheSize } = limit as Readonly<Record<keyof EventRateLimit, unknown>>;
  const faults: string[] = [];
  if (!TYPES.has(type)) faults.push(`.type must be one of ${[...TYPES].join(', ')}`);
  if (!(typeof qps === 'number' && qps > 0 && qps < Infinity)) faults.push('.qps must be a number above 0');
  if (!isCount(burst)) faults.push('.burst must be a positive whole number');
  if (cacheSize !== undefined && !isCount(cacheSize)) faults.push('.cacheSize must be a positive whole number');
  for (const name of Object.keys(limit)) if (!FIELDS.has(name)) faults.push(`.${name} is not an option`);
  return faults;
}
