import { hostileBodies } from './bodies.js';
import { hostileRequests } from './requests.js';
import type { HostileRequest } from './contract.js';

/** The worst requests we know of. */
export const corpus: readonly HostileRequest[] = [...hostileBodies, ...hostileRequests];
