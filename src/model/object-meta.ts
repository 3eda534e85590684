/** Metadata of a stored object, as on the wire (Kubernetes `meta/v1` ObjectMeta). Times are RFC 3339 strings. */
export interface ObjectMeta {
  /** The name, unique in the namespace. */
  name?: string;
  /** A prefix from which the server makes a name that is not taken. */
  generateName?: string;
  /** The namespace. */
  namespace?: string;
  /** Identifies the object across names and time. Set by the server. */
  uid?: string;
  /** The revision of the last write: opaque, compared for equality only. */
  resourceVersion?: string;
  /** Counts changes of the desired state. Set by the server. */
  generation?: number;
  /** When the server created the object. Set by the server. */
  creationTimestamp?: string;
  /** When the object is to be gone. Set by the server. */
  deletionTimestamp?: string;
  /** How long the object may take to end. Set by the server. */
  deletionGracePeriodSeconds?: number;
  /** Short values that label selectors read. */
  labels?: Record<string, string>;
  /** Data of tools, not meant for selectors. */
  annotations?: Record<string, string>;
  /** The objects this one belongs to. */
  ownerReferences?: OwnerReference[];
  /** Who has to agree before the object is removed. */
  finalizers?: string[];
  /** Who manages which fields. Set by the server. */
  managedFields?: ManagedFieldsEntry[];
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
  controller?: boolean;
  /** True: the owner is not removed before this object. */
  blockOwnerDeletion?: boolean;
}

/** One manager's set of fields (Kubernetes `meta/v1` ManagedFieldsEntry). */
export interface ManagedFieldsEntry {
  /** Who manages the fields. */
  manager?: string;
  /** How they were written: `Apply` or `Update`. */
  operation?: string;
  /** The version in which the fields are named. */
  apiVersion?: string;
  /** When the manager last changed its set of fields. */
  time?: string;
  /** The format of the fields: `FieldsV1`. */
  fieldsType?: string;
  /** The fields as a tree. */
  fieldsV1?: unknown;
  /** The subresource they were written through; empty for the object itself. */
  subresource?: string;
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
