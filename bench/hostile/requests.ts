import type { HostileRequest } from './corpus.js';

/** Headers, paths and queries that are as expensive as can be. */
export const hostileRequests: readonly HostileRequest[] = [];
