import type { FieldShape, MapShape, StructShape } from '../schema/shape.js';
import { compareObjects } from './compare.js';
import { toFieldsV1 } from './fields-v1.js';
import { isAtomic } from './list-items.js';
import { stripIdentity } from './stripped-fields.js';
import { emptyObject, type ManagedVersion, type WireObject } from './tracked-object.js';

/** Fields in the form entries hold them, and its JSON. Shared between entries: frozen. */
export interface KeptFields {
  readonly fieldsV1: Readonly<Record<string, unknown>>;
  readonly json: string;
}

/** Answers what whoever makes a new object owns; an empty set has the JSON `{}`. */
export type NewObjectFields = (object: WireObject) => KeptFields;

/** Objects with more map keys, or longer ones, are computed each time. */
const MAX_MAP_KEYS = 16;
const MAX_KEY_LENGTH = 80;
/** Beyond this the memory starts anew, so that a run of odd objects does not shut out the usual ones for good. */
const MAX_PLACES = 2000;

/** What a field has, besides being absent. */
const ZERO = 0;
const VALUE = 1;
const MEMBERS = 2;

/** A place in the tree of what objects have: after these fields, of which each says one of the above. */
interface Place {
  /** By number of the field and what it has. */
  readonly fields: Place[];
  /** The keys of a map. */
  keys: Map<string, Place> | undefined;
  /** After the last member of a struct or map. */
  closed: Place | undefined;
  kept: KeptFields | undefined;
}

/**
 * The fields of new objects of one shape. Which they are depends on what an object has and not on its values, so they are
 * found by walking a tree of the objects seen before. With its entry 1.9 µs, instead of 9 for computing and sorting them.
 *
 * @param fieldsPresent see `ManagedVersion`: objects that have what the last one had need no walk
 */
export function createNewObjectFields(
  shape: StructShape,
  fieldsPresent?: ManagedVersion['fieldsPresent'],
): NewObjectFields {
  const empty = emptyObject(shape);
  let places = 0;
  let root = createPlace();
  /** Map keys passed in this walk; only counted to stop. */
  let keys = 0;

  function createPlace(): Place {
    places++;
    return { fields: [], keys: undefined, closed: undefined, kept: undefined };
  }

  /** Where the object leads; undefined for one that is not to be remembered. */
  function walkStruct(from: Place, object: WireObject, struct: StructShape): Place | undefined {
    let at: Place | undefined = from;
    const { fields } = struct;
    for (let index = 0; index < fields.length && at; index++) {
      const field = fields[index] as FieldShape;
      const value = object[field.name];
      if (value !== undefined) at = step(at, index * 3, value, field);
    }
    return at;
  }

  function step(at: Place, number: number, value: unknown, { shape: below, zero }: FieldShape): Place | undefined {
    const vacant = typeof value === 'object' ? value === null || isVacantObject(value) : value === zero;
    if (vacant) return (at.fields[number + ZERO] ??= createPlace());
    if (isAtomic(below)) return (at.fields[number + VALUE] ??= createPlace());
    const inside = (at.fields[number + MEMBERS] ??= createPlace());
    const last = walkBelow(inside, value, below);
    return last && (last.closed ??= createPlace());
  }

  function walkBelow(inside: Place, value: unknown, below: FieldShape['shape']): Place | undefined {
    if (below.kind === 'struct') return walkStruct(inside, value as WireObject, below);
    // Items of lists are owned by their values.
    return below.kind === 'map' ? walkMap(inside, value as WireObject, below) : undefined;
  }

  function walkMap(from: Place, map: WireObject, { value: shapeOfValues }: MapShape): Place | undefined {
    if (!isAtomic(shapeOfValues)) return undefined;
    let at = from;
    for (const key of Object.keys(map)) {
      if (++keys > MAX_MAP_KEYS || key.length > MAX_KEY_LENGTH) return undefined;
      at.keys ??= new Map();
      let next = at.keys.get(key);
      if (!next) at.keys.set(key, (next = createPlace()));
      at = next;
    }
    return at;
  }

  /** The answer for the last object, and what it had: the same as the next, nearly always. */
  let last: { readonly kept: KeptFields; readonly present: string; readonly labels: readonly string[] } | undefined;

  const find = (object: WireObject): KeptFields => {
    if (places > MAX_PLACES) {
      places = 0;
      root = createPlace();
    }
    keys = 0;
    const place = walkStruct(root, object, shape);
    if (place?.kept) return place.kept;
    const kept = keptFields(toFieldsV1(stripIdentity(compareObjects(empty, object, shape).changed)));
    if (place) place.kept = kept;
    return kept;
  };

  return (object) => {
    const present = fieldsPresent?.(object);
    if (present === undefined) return find(object);
    const labels = labelKeys(object);
    if (last?.present === present && sameKeys(last.labels, labels)) return last.kept;
    const kept = find(object);
    if (labels.length <= MAX_MAP_KEYS) last = { kept, present, labels };
    return kept;
  };
}

const NO_KEYS: readonly string[] = Object.freeze([]);

function labelKeys({ metadata }: WireObject): readonly string[] {
  const labels = (metadata as { readonly labels?: object } | undefined)?.labels;
  return labels ? Object.keys(labels) : NO_KEYS;
}

function sameKeys(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

/** Fields to be kept: what was handed in belongs to the result from now on. */
export function keptFields(fieldsV1: Record<string, unknown>): KeptFields {
  return Object.freeze({ fieldsV1: frozenTree(fieldsV1), json: JSON.stringify(fieldsV1) });
}

function frozenTree(tree: Record<string, unknown>): Readonly<Record<string, unknown>> {
  for (const below of Object.values(tree)) frozenTree(below as Record<string, unknown>);
  return Object.freeze(tree);
}

function isVacantObject(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
