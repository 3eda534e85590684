import { MAX_MEMBERS } from '../../json/member-count.js';
import { storedMembersFor } from './member-limit.js';

/** How much the body of a request may hold, beside its bytes. */
export interface BodyLimits {
  /** Fields and list items, at all levels. A JSON Patch may have more, see `MAX_PATCH_MEMBERS`. */
  readonly members: number;
  /** Fields and list items of an event that a change has made: follows from `members`. */
  readonly storedMembers: number;
  /** The length of a text in YAML, in UTF-16 units. */
  readonly yamlCharacters: number;
}

/** YAML costs a hundred times as much as JSON: of a long scalar the library looks at each character several times. */
const MAX_YAML_CHARACTERS = 131_072;

/** Limits with what is left out at its default. */
export function createBodyLimits(
  members: number = MAX_MEMBERS,
  yamlCharacters: number = MAX_YAML_CHARACTERS,
): BodyLimits {
  return Object.freeze({ members, storedMembers: storedMembersFor(members), yamlCharacters });
}

/** What holds where nothing else is said. */
export const DEFAULT_BODY_LIMITS: BodyLimits = createBodyLimits();
