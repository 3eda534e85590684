/**
 * Where the numbers of an event stand in the header before its bytes, and the header's length. They take a tenth of what they
 * would take as properties of an object.
 */
export const HEADER = {
  expires: 0,
  before: 8,
  after: 12,
  cut: 16,
  prefix: 20,
  uidAt: 22,
  versionAt: 24,
  uidLength: 26,
  versionLength: 27,
  commonBytes: 28,
  live: 29,
  length: 30,
} as const;

/** The header has room for offsets and lengths up to these. */
export const MAX_OFFSET = 0xffff;
export const MAX_LENGTH = 0xff;
