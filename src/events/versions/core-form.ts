import { lazy } from '../../api/schema/lazy.js';
import { olderName, type FieldShape, type StructShape } from '../../api/schema/shape.js';
import type { Event } from '../../model/event.js';
import { coreEventShape, eventShape } from '../resource/schema.js';

type Fields = Record<string, unknown>;

/** A field in both forms. */
interface FieldPair {
  readonly core: string;
  readonly stored: string;
  /** What the form with `always` has for a field that is unset, where the other one leaves it out. */
  readonly filled: 'core' | 'stored' | undefined;
  readonly zero: unknown;
  /** Of a struct whose fields differ. */
  readonly below: readonly FieldPair[] | undefined;
}

/** All fields but the two that say what the object is, in the order of core/v1. */
const fieldPairs: () => readonly FieldPair[] = lazy(() => pairsOf(coreEventShape(), eventShape()).slice(2));

function pairsOf(core: StructShape, stored: StructShape): readonly FieldPair[] {
  const byCoreName = new Map(stored.fields.map((field) => [olderName(field), field]));
  return core.fields.map((field) => {
    const original = byCoreName.get(field.name) as FieldShape;
    const filled = original.presence === field.presence ? undefined : field.presence === 'always' ? 'core' : 'stored';
    const below =
      field.shape !== original.shape && field.shape.kind === 'struct' && original.shape.kind === 'struct'
        ? pairsOf(field.shape, original.shape)
        : undefined;
    return { core: field.name, stored: original.name, filled, zero: field.zero, below };
  });
}

const coreNames: () => ReadonlyMap<string, string> = lazy(
  () => new Map(fieldPairs().map(({ core, stored }) => [stored, core])),
);

/** What core/v1 calls a field of the stored form. */
export function coreName(stored: string): string {
  return coreNames().get(stored) ?? stored;
}

/** An event in its core/v1 form, without kind and apiVersion. Nothing is lost. Values are shared. */
export function toCore(event: Event): Fields {
  return converted(event as unknown as Readonly<Fields>, fieldPairs(), 'stored', 'core');
}

/** The stored form of a decoded core/v1 object. Values are shared. */
export function fromCore(object: Readonly<Fields>): Event {
  return converted(object, fieldPairs(), 'core', 'stored') as unknown as Event;
}

type Form = 'core' | 'stored';

function converted(object: Readonly<Fields>, pairs: readonly FieldPair[], from: Form, to: Form): Fields {
  const result: Fields = {};
  for (const { [from]: source, [to]: target, filled, zero, below } of pairs) {
    const value = object[source];
    if (value === undefined) {
      if (filled === to) result[target] = zero;
    } else if (filled !== from || value !== zero) {
      result[target] = below ? converted(value as Readonly<Fields>, below, from, to) : value;
    }
  }
  return result;
}
