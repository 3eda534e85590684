/** One difference between a recorded response and one that was given. */
export interface Difference {
  readonly path: string;
  readonly want?: unknown;
  readonly got?: unknown;
}

/** A difference in the order of keys or in the layout. */
export interface SoftDifference extends Difference {
  readonly class: string;
  readonly step: number;
}

/** How the replay of a scenario ended. */
export interface ReplayResult {
  readonly id: string;
  /** The first step (from 1) whose response is not as recorded. */
  readonly first?: { readonly step: number } | undefined;
  readonly failedSteps?: number | undefined;
  readonly soft: readonly SoftDifference[];
  readonly error?: string | undefined;
}

/**
 * Steps with a different response, by a decision that is newer than the list of deviations beside the recording.
 */
const DECIDED: ReadonlyMap<string, { readonly step: number; readonly why: string }> = new Map([
  ['core-names', { step: 6, why: 'a name of 254 bytes is refused, see docs/decisions/0044' }],
]);

/**
 * A step whose recorded form is open on purpose has nothing to compare the form with; and managedFields are sorted by
 * time to the second, so that two writes on either side of a second's end change places.
 */
const isIgnored = (soft: SoftDifference): boolean =>
  (soft.class === 'format' && soft.want === undefined) ||
  (soft.class === 'order' && soft.path.includes('.managedFields'));

/**
 * Whether the responses of a scenario were as recorded, or different in one step by a decision: that of `decided`.
 */
export function verdictOf(result: ReplayResult): { readonly pass: boolean; readonly decided?: string } {
  const { id, first, failedSteps, error } = result;
  const decided = DECIDED.get(id);
  const soft = result.soft.filter((difference) => !isIgnored(difference) && difference.step !== decided?.step);
  if (error !== undefined || soft.length > 0) return { pass: false };
  if (decided === undefined) return { pass: first === undefined };
  return { pass: first?.step === decided.step && failedSteps === 1, decided: `step ${decided.step}: ${decided.why}` };
}
