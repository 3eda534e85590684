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
   * The fields that an object has, as a text: objects with equal texts have the same fields, except for the keys of labels
   * and fields that are not tracked. Undefined if a text is not enough. The same function for the same shape.
   */
  readonly fieldsPresent?: ((object: WireObject) => string | undefined) | undefined;
}

/** An object without content, with which a new one is compared. */
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
 * True if two states differ only in managed fields. The resourceVersion does not count: it is a condition
 * and not content, and the caller has checked it.
 */
export function sameContent(left: WireObject, right: WireObject): boolean {
  return sameTree(untracked(left, 'resourceVersion'), untracked(right, 'resourceVersion'));
}
