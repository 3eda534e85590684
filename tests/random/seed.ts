/** The environment variable with the seed of random tests. */
const NAME = 'TEST_SEED';

/** fast-check takes signed numbers of 32 bits: seeds stay below this. */
const LIMIT = 2 ** 31;

/**
 * The seed of this run: that of `TEST_SEED`, or one that is chosen now, for this process and all that it starts.
 *
 * @throws Error when `TEST_SEED` is no whole number from 0 to 2,147,483,647
 */
export function testSeed(): number {
  const text = (process.env[NAME] ||= String(Date.now() % LIMIT));
  const seed = Number(text);
  if (Number.isSafeInteger(seed) && seed >= 0 && seed < LIMIT) return seed;
  throw new Error(`${NAME} must be a whole number from 0 to ${LIMIT - 1}, not ${JSON.stringify(text)}`);
}
