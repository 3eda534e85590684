import { invalidValue, joinFieldErrors, type FieldError } from '../status/field-error.js';
import { toInt64 } from '../../json/go-print.js';
import { labelValueErrors, qualifiedNameErrors } from '../validation/names.js';
import type { Selectable, Selector } from './contract.js';

/** The operator of a requirement. `=` and `==` are `in`, with one value. */
export type LabelOperator = 'exists' | 'missing' | 'in' | 'notin' | '>' | '<';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, each once. */
  readonly values: readonly string[];
}

/** The error of an invalid label key, in the words of a selector's error; undefined for a valid one. */
export function labelKeyError(key: string): string | undefined {
  const faults = qualifiedNameErrors(key);
  return faults.length === 0 ? undefined : joinFieldErrors([invalidValue('<nil>', key, faults.join('; '))]);
}

/** The error of values that do not fit the operator; undefined if they do. */
export function labelValuesError({ key, operator, values }: LabelRequirement): string | undefined {
  const errors: FieldError[] = [];
  if (operator === '>' || operator === '<') {
    values.forEach((value, index) => {
      if (toInt64(value) !== undefined) return;
      errors.push(invalidValue(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
    });
  }
  values.forEach((value, index) => {
    const faults = labelValueErrors(value);
    if (faults.length > 0) errors.push(invalidValue(`values[${index}][${key}]`, value, faults.join('; ')));
  });
  return errors.length === 0 ? undefined : joinFieldErrors(errors);
}

/** One value, or a Set of several: most rules have one, and a Set takes ten times the memory. */
type Values = string | Set<string>;

/** All requirements of a selector on one label key, combined so that each value is tested once. */
interface LabelRule {
  readonly absent: boolean;
  readonly present: boolean;
  readonly among?: Values | undefined;
  readonly not?: Values | undefined;
  readonly above?: bigint | undefined;
  readonly below?: bigint | undefined;
}

const ANYTHING: LabelRule = Object.freeze({ absent: true, present: true });

/** Up to this many keys are looked up in the object's labels; if there are more, the labels in the rules. */
const FEW = 8;
/** How many labels an object has, if many: listing a thousand of them takes half a millisecond. */
const sizes = /* @__PURE__ */ new WeakMap<object, number>();
const MANY = 64;

const NONE: Selector['equalities'] = Object.freeze([]);

/** Tests all requirements. Linear in the labels of the object or the keys of the selector, whichever are fewer. */
export class LabelRules implements Selector {
  readonly empty = false;
  readonly equalities: Selector['equalities'] = NONE;
  readonly onlyEqualities = false;
  readonly #rules: ReadonlyMap<string, LabelRule>;
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

  matches({ labels }: Selectable): boolean {
    const { size } = this.#rules;
    return size <= FEW || size < (sizes.get(labels) ?? 0) ? this.#byKeys(labels) : this.#byLabels(labels);
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
    const keys = Object.keys(labels);
    if (keys.length > MANY) sizes.set(labels, keys.length);
    for (const key of keys) {
      const rule = this.#rules.get(key);
      if (rule === undefined) continue;
      if (!allows(rule, labels[key] as string)) return false;
      if (!rule.absent) found++;
    }
    return found === this.#required;
  }
}

function narrowed(rule: LabelRule, { operator, values }: LabelRequirement): LabelRule {
  switch (operator) {
    case 'exists':
      return { ...rule, absent: false };
    case 'missing':
      return { absent: rule.absent, present: false };
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
