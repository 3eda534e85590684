import { expect, test } from 'vitest';
import { limitsWithin } from '../../../../src/cli/serve/limit-flags.js';
import { readInFlightLimits } from '../../../../src/limits/in-flight-options.js';

const MIB = 1_048_576;

test.each([
  ['without a container', 0],
  ['in a container without a limit', 2 ** 64],
  ['in a large container', 8192 * MIB],
])('%s the limits are the defaults of the library', (_title, container) => {
  expect(readInFlightLimits(limitsWithin(1, container))).toEqual(readInFlightLimits({}));
});

test.each([
  ['64 MiB', 64, 1, { reads: 8, bytes: 16 * MIB }],
  ['128 MiB', 128, 1, { reads: 16, bytes: 32 * MIB }],
  ['256 MiB', 256, 1, { reads: 32, bytes: 64 * MIB }],
  ['1 GiB, shared by four workers', 1024, 4, { reads: 32, bytes: 64 * MIB }],
])('in a container of %s bodies take a quarter, and lists an eighth', (_title, mib, workers, limits) => {
  expect(limitsWithin(workers, mib * MIB)).toEqual(limits);
});
