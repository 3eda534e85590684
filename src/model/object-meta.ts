/** Metadata of a stored object, as on the wire (Kubernetes `meta/v1` ObjectMeta). Times are RFC 3339 strings. */
export interface ObjectMeta {
  /** The name, unique in the namespace. */
  name?: string | undefined;
  /** A prefix from which the server generates an unused name. */
  generateName?: string | undefined;
  /** The namespace. */
  namespace?: string | undefined;
  /** Identifies the object across names and time. Set by the server. */
  uid?: string | undefined;
  /** The revision of the last write: opaque, compared for equality only. */
  resourceVersion?: string | undefined;
  /** Counts changes of the desired state. Set by the server. */
  generation?: number | undefined;
  /** When the server created the object. Set by the server. */
  creationTimestamp?: string | undefined;
  /** When the object is to be removed. Set by the server. */
  deletionTimestamp?: string | undefined;
  /** How long a graceful deletion may take, in seconds. Set by the server. */
  deletionGracePeriodSeconds?: number | undefined;
  /** Short values that label selectors match. */
  labels?: Record<string, string> | undefined;
  /** Data of tools, not meant for selectors. */
  annotations?: Record<string, string> | undefined;
  /** The objects that own this object. */
  ownerReferences?: OwnerReference[] | undefined;
  /** Identifiers that must be removed from this list before the object is deleted. */
  finalizers?: string[] | undefined;
  /** Who manages which fields. Set by the server. */
  managedFields?: ManagedFieldsEntry[] | undefined;
}

/** An owner of an object (Kubernetes `meta/v1` OwnerReference). */
export interface OwnerReference {
  /** Group and version of the owner. */
  apiVersion: string;
  /** Kind of the owner. */
  kind: string;
  /** Name of the owner. */
  name: string;
  /** UID of the owner. */
  uid: string;
  /** True for the owner that manages this object. */
  controller?: boolean | undefined;
  /** True: the owner is not removed before this object. */
  blockOwnerDeletion?: boolean | undefined;
}

/** One manager's set of fields (Kubernetes `meta/v1` ManagedFieldsEntry). */
export interface ManagedFieldsEntry {
  /** Who manages the fields. */
  manager?: string | undefined;
  /** How they were written: `Apply` or `Update`. */
  operation?: string | undefined;
  /** The version in which the fields are named. */
  apiVersion?: string | undefined;
  /** When the manager last changed its set of fields. */
  time?: string | undefined;
  /** The format of the fields: `FieldsV1`. */
  fieldsType?: string | undefined;
  /** The fields as a tree. */
  fieldsV1?: unknown;
  /** The subresource they were written through; empty for the object itself. */
  subresource?: string | undefined;
}

/** Metadata of a list. */
export interface ListMeta {
  /** The revision at which the list was read. */
  resourceVersion?: string | undefined;
  /** Where the next page begins. Absent on the last one. */
  continue?: string | undefined;
  /** How many items follow. Absent where that is not known. */
  remainingItemCount?: number | undefined;
}
