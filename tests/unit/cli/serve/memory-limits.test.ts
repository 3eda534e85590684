import { expect, test } from 'vitest';
import { limitsWithin } from '../../../../src/cli/serve/memory-limits.js';
import { readInFlightLimits } from '../../../../src/limits/in-flight-options.js';

const MIB = 1_048_576;
const flags = { maxBodyBytes: 3 * MIB, workers: 1 };

test.each([
  ['without a container', 0],
  ['in a container without a limit', 2 ** 64],
  ['in a large container', 8192 * MIB],
])('%s the limits are the defaults of the library', (_title, container) => {
  expect(readInFlightLimits(limitsWithin(flags, container))).toEqual(readInFlightLimits({}));
});

test.each([
  ['128 MiB', 128, flags, { writes: 10, reads: 16, bytes: 16 * MIB }],
  ['256 MiB', 256, flags, { writes: 21, reads: 32, bytes: 32 * MIB }],
  [
    '256 MiB, with smaller bodies',
    256,
    { ...flags, maxBodyBytes: MIB / 2 },
    { writes: 128, reads: 32, bytes: 32 * MIB },
  ],
  ['64 MiB', 64, flags, { writes: 8, reads: 8, bytes: 8 * MIB }],
  ['1 GiB', 1024, flags, { writes: 85, reads: 128, bytes: 128 * MIB }],
  ['1 GiB, shared by four workers', 1024, { ...flags, workers: 4 }, { writes: 21, reads: 32, bytes: 32 * MIB }],
])('in a container of %s bodies take a quarter, reads and responses an eighth each', (_title, mib, given, limits) => {
  expect(limitsWithin(given, mib * MIB)).toEqual(limits);
});
