import { toInt64, type LabelRequirement } from './label-requirement.js';

/** One value or a Set of several: most rules have one, and a Set is ten times as large. */
type Values = string | Set<string>;

/** All requirements of a selector on one label key, combined so that each value is tested once. */
interface LabelRule {
  /** Objects without the label can match. */
  readonly absent: boolean;
  /** Objects with the label can match. */
  readonly present: boolean;
  /** The only allowed values, if there are any. */
  readonly among?: Values | undefined;
  /** Values that are refused. */
  readonly not?: Values | undefined;
  readonly above?: bigint | undefined;
  readonly below?: bigint | undefined;
}

/** Rules without values are the same for all keys. */
const ANYTHING: LabelRule = Object.freeze({ absent: true, present: true });
const EXISTS: LabelRule = Object.freeze({ absent: false, present: true });
const MISSING: LabelRule = Object.freeze({ absent: true, present: false });
const NOTHING: LabelRule = Object.freeze({ absent: false, present: false });

/** Up to this many keys are looked up in the object's labels; with more keys, the labels are looked up in the rules. */
const FEW = 8;

/**
 * The test of all requirements of a selector. It is linear in the labels of the object or the keys of the selector, whichever are
 * fewer, however often a key is named.
 */
export class LabelRules {
  readonly #rules: ReadonlyMap<string, LabelRule>;
  /** How many keys an object must have. */
  readonly #required: number;

  constructor(requirements: readonly LabelRequirement[]) {
    const rules = new Map<string, LabelRule>();
    for (const requirement of requirements) {
      rules.set(requirement.key, narrowed(rules.get(requirement.key) ?? ANYTHING, requirement));
    }
    let required = 0;
    for (const { absent } of rules.values()) if (!absent) required++;
    this.#rules = rules;
    this.#required = required;
  }

  match(labels: Readonly<Record<string, string>>): boolean {
    return this.#rules.size <= FEW ? this.#byKeys(labels) : this.#byLabels(labels);
  }

  #byKeys(labels: Readonly<Record<string, string>>): boolean {
    for (const [key, rule] of this.#rules) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (value === undefined ? !rule.absent : !allows(rule, value)) return false;
    }
    return true;
  }

  #byLabels(labels: Readonly<Record<string, string>>): boolean {
    let found = 0;
    for (const key of Object.keys(labels)) {
      const rule = this.#rules.get(key);
      if (rule === undefined) continue;
      if (!allows(rule, labels[key] as string)) return false;
      if (!rule.absent) found++;
    }
    return found === this.#required;
  }
}

/** The rule with another requirement. */
function narrowed(rule: LabelRule, { operator, values }: LabelRequirement): LabelRule {
  switch (operator) {
    case 'exists':
      return plain(rule) ? (rule.present ? EXISTS : NOTHING) : { ...rule, absent: false };
    case 'missing':
      return rule.absent ? MISSING : NOTHING;
    case 'in':
      return {
        ...rule,
        absent: false,
        among: rule.among === undefined ? valuesOf(values) : common(rule.among, values),
      };
    case 'notin':
      return { ...rule, not: rule.not === undefined ? valuesOf(values) : joined(rule.not, values) };
    default: {
      const bound = toInt64(values[0] ?? '') ?? 0n;
      const { above, below } = rule;
      return operator === '>'
        ? { ...rule, absent: false, above: above === undefined || bound > above ? bound : above }
        : { ...rule, absent: false, below: below === undefined || bound < below ? bound : below };
    }
  }
}

const plain = ({ among, not, above, below }: LabelRule): boolean =>
  among === undefined && not === undefined && above === undefined && below === undefined;

const valuesOf = (values: readonly string[]): Values => (values.length === 1 ? (values[0] as string) : new Set(values));

const has = (values: Values, value: string): boolean =>
  typeof values === 'string' ? values === value : values.has(value);

const common = (known: Values, values: readonly string[]): Values =>
  valuesOf(values.filter((each) => has(known, each)));

/** A Set belongs to its rule, so it can be extended. */
function joined(known: Values, values: readonly string[]): Values {
  const all = typeof known === 'string' ? new Set([known]) : known;
  for (const value of values) all.add(value);
  return all;
}

function allows({ present, among, not, above, below }: LabelRule, value: string): boolean {
  if (!present || (among !== undefined && !has(among, value)) || (not !== undefined && has(not, value))) return false;
  if (above === undefined && below === undefined) return true;
  const number = toInt64(value);
  return number !== undefined && (above === undefined || number > above) && (below === undefined || number < below);
}
