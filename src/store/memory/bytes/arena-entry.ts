/** Offsets of the numbers in the header before an event's bytes: 29 bytes, where object properties take 96. */
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
  length: 29,
} as const;

export const MAX_OFFSET = 0xffff;
export const MAX_LENGTH = 0xff;
