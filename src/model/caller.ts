/**
 * The user a request was authenticated as. Names and groups are the ones Kubernetes uses
 * (`system:anonymous`, `system:masters`, …) and appear as they are in 403 messages.
 */
export interface Caller {
  /** The user name, for example `jane` or `system:serviceaccount:default:builder`. */
  readonly name: string;
  /** A stable identifier of the user across renames. */
  readonly uid?: string | undefined;
  /** The groups the user is in. */
  readonly groups: readonly string[];
  /** Further data of the authenticator, passed to `authorize` unchanged. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}
