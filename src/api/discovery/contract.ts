/** Names a kind in a group and version; `group` is empty for core. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource as discovery describes it. */
export interface DiscoveryResource {
  /** Plural name, as in paths: `events`. */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Written in alphabetical order. */
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[] | undefined;
  /** The version in which objects are stored, for `storageVersionHash`. Absent: no hash. */
  readonly storedAs?: GroupVersionKind | undefined;
}

/** One version of a group. */
export interface DiscoveryVersion {
  readonly version: string;
  readonly resources: readonly DiscoveryResource[];
  /** The version that clients should use. Default: the first one. */
  readonly preferred?: boolean | undefined;
}

/** An API group. */
export interface DiscoveryGroup {
  readonly name: string;
  /** At least one, the most stable first. */
  readonly versions: readonly DiscoveryVersion[];
}

/** Options of `createDiscovery`. */
export interface DiscoveryOptions {
  /** The named groups, in the order of the document. */
  readonly groups: readonly DiscoveryGroup[];
  /** The core group below `/api`. Absent: `/api` answers an empty list. */
  readonly core?: DiscoveryVersion | undefined;
  /** `HOST:PORT` that clients should use. Default: the Host header of each request. */
  readonly serverAddress?: string | undefined;
}
