import { selectableFields } from '../../src/api/schema/shape.js';
import { commonSuffix } from './write-text.js';
import type { SOURCE } from '../../src/events/resource/schema.js';
import { literal, type EventFields } from './shape-fields.js';

type Source = typeof SOURCE;

interface Selected {
  /** `regarding.kind` */
  readonly name: string;
  readonly value: string;
  readonly place: number;
  readonly distinct: boolean;
}

/** The fields that selectors read, by place. */
function selected({ event }: EventFields, source: Source): readonly Selected[] {
  const fields = selectableFields(event).map((field): Selected => ({
    name: field.path.join('.'),
    value: `event.${field.path.join('?.').replace('metadata?.', 'metadata.')}`,
    place: field.index,
    distinct: field.distinct,
  }));
  const derived = { name: source.name, value: source.name, place: source.selectable, distinct: false };
  const all = [...fields, derived].sort((one, other) => one.place - other.place);
  all.forEach(({ name, place }, index) => {
    if (place !== index) throw new TypeError(`${name} is selectable at place ${place}: the next free one is ${index}`);
  });
  return all;
}

/** The function of `src/events/codec/write-event.ts` that reads the fields for selectors. */
export function selectorSource(parts: EventFields, source: Source): string {
  const all = selected(parts, source);
  const add = ({ name, value }: Selected): string =>
    `if (${value}) fields[${literal(name)}] = ${value.replaceAll('?.', '.')};`;
  return `
/** The fields of an event that field selectors can use, by name; empty values are left out. */
export function selectorFields(event: Event): Record<string, string> {
  const ${source.name} = ${source.of.map((path) => `event.${path.join('?.')}`).join(' || ')};
  const fields: Record<string, string> = {};
  ${all.map(add).join('\n')}
  return fields;
}
`;
}

/** `src/store/contract/schema-facts.ts`. */
export function storeSource(parts: EventFields, source: Source): string {
  const all = selected(parts, source);
  const common = all.filter(({ distinct }) => !distinct).map(({ name }) => name);
  return `
/** The fields that field selectors can use. Stored sidecars depend on the order, so names are only appended. */
export const SELECTOR_FIELDS = [${all.map((one) => literal(one.name)).join(', ')}] as const;

/** Those of them in which many events have the same value. */
export const COMMON_FIELDS = [${common.map(literal).join(', ')}] as const;

/** The end of the JSON of nearly every event that a current client has written. */
export const COMMON_SUFFIX = ${commonSuffix(parts.fields)};
`;
}
