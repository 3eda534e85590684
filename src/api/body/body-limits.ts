import { MAX_MEMBERS } from '../../json/member-count.js';
import { storedMembersFor } from './member-limit.js';

/** Limits of a request body besides its bytes. */
export interface BodyLimits {
  /** Fields and list items, at all levels. A JSON Patch may have more, see `MAX_PATCH_MEMBERS`. */
  readonly members: number;
  /** Fields and list items of a changed event; derived from `members`. */
  readonly storedMembers: number;
  /** The length of a text in YAML, in UTF-16 units. */
  readonly yamlCharacters: number;
}

/** YAML costs a hundred times as much as JSON: the library reads each character of a long scalar several times. */
const MAX_YAML_CHARACTERS = 131_072;

/** Limits with defaults for omitted ones. */
export function createBodyLimits(
  members: number = MAX_MEMBERS,
  yamlCharacters: number = MAX_YAML_CHARACTERS,
): BodyLimits {
  return Object.freeze({ members, storedMembers: storedMembersFor(members), yamlCharacters });
}

/** The default limits. */
export const DEFAULT_BODY_LIMITS: BodyLimits = createBodyLimits();
