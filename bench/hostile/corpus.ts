import { hostileBodies } from './bodies.js';
import { coreTexts } from './core-texts.js';
import { hostileReadings } from './stored-events.js';
import { hostileRequests } from './requests.js';
import type { HostileRequest } from './contract.js';

/** The worst requests we know of. */
export const corpus: readonly HostileRequest[] = [
  ...hostileBodies,
  ...hostileRequests,
  ...hostileReadings,
  ...coreTexts,
];
