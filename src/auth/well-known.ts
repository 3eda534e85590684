/** The user name of a request without credentials. */
export const ANONYMOUS = 'system:anonymous';
/** The group of every caller that showed a credential. */
export const AUTHENTICATED = 'system:authenticated';
/** The group of every caller that showed none. */
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The group that may do everything and is never held back by limits. */
export const MASTERS = 'system:masters';
