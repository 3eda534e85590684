import { sameTree } from '../../json/json-tree.js';
import type { StructShape } from '../schema/shape.js';

/** An object as one version writes it: canonical, as `decodeObject` gives it, without `kind` and `apiVersion`. */
export type WireObject = Readonly<Record<string, unknown>>;

/** The version a request is for. Entries of other versions are dropped by every write, as Kubernetes does. */
export interface ManagedVersion {
  /** `events.example.com/v1`; `v1` in the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly shape: StructShape;
  /**
   * Which fields an object has, as a text: objects with equal texts have the same fields, but for the keys of their labels
   * and what nobody owns. Undefined where that depends on more. The same function for the same shape.
   */
  readonly fieldsPresent?: ((object: WireObject) => string | undefined) | undefined;
}

/** What an object without any content is on the wire: what a new one is compared with. */
export function emptyObject(shape: StructShape): WireObject {
  const object: Record<string, unknown> = {};
  for (const { name, presence, zero } of shape.fields) {
    if (presence === 'always') object[name] = zero !== null && typeof zero === 'object' ? {} : zero;
  }
  return object;
}

/** The object without its managed fields, and without members of metadata named in `others`. */
export function untracked(object: WireObject, ...others: readonly string[]): WireObject {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null) return object;
  const rest: Record<string, unknown> = { ...metadata };
  delete rest['managedFields'];
  for (const name of others) delete rest[name];
  return { ...object, metadata: rest };
}

/**
 * True when two states differ in nothing but who manages what. The resourceVersion does not count: it is a condition
 * rather than content, and the caller has it checked.
 */
export function sameContent(left: WireObject, right: WireObject): boolean {
  return sameTree(untracked(left, 'resourceVersion'), untracked(right, 'resourceVersion'));
}
