/** The user name of a request without credentials. */
export const ANONYMOUS = 'system:anonymous';
/** The group of every authenticated caller. */
export const AUTHENTICATED = 'system:authenticated';
/** The group of every anonymous caller. */
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The group that may do everything and is never refused by limits. */
export const MASTERS = 'system:masters';
