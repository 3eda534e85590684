import { describe, expect, it } from 'vitest';
import { allowAnonymous } from '../../../src/auth/authenticators.js';
import { allowEverybody } from '../../../src/auth/authorizers.js';
import type { HealthCheck } from '../../../src/health/contract.js';
import { createHealth } from '../../../src/health/create-health.js';
import type { HealthOptions } from '../../../src/health/options.js';

/** The error texts of health for invalid arguments. */

const check = (): true => true;
const NAME = '1 to 253 characters without white space, and a path (no empty, "." or ".." part)';

describe('an error of createHealth', () => {
  it.each<[string, object, string]>([
    ['a number out of range', { timeoutMs: 0 }, 'createHealth: timeoutMs must be'],
    [
      'an authorizer in place of an authenticator',
      { authenticate: allowEverybody(), authorize: allowEverybody() },
      'createHealth: authenticate must be an authenticator',
    ],
    [
      'an authenticator in place of an authorizer',
      { authenticate: allowAnonymous(), authorize: allowAnonymous() },
      'createHealth: authorize must be an authorizer',
    ],
  ])('names the function and the option: %s', (_, options, text) => {
    expect(() => createHealth(options as HealthOptions)).toThrow(text);
  });

  it('has one sentence about a hook that is missing', () => {
    const authorize = (): { allowed: boolean } => ({ allowed: true });
    expect(() => createHealth({ roots: 'authorized', authorize })).toThrow(
      new TypeError('createHealth: authenticate and authorize go together: give both, or neither'),
    );
  });
});

describe('an error of add', () => {
  it.each<[unknown, string]>([
    [undefined, 'health.add(): the options must be an object'],
    [{ name: 'a b', check }, `health.add("a b"): name must be ${NAME}`],
    [{ name: 5, check }, `health.add(5): name must be ${NAME}`],
    [
      { name: 'a', check, endpoints: ['livez', 'startupz'], group: 'a b' },
      'health.add("a"): endpoints must be a list of healthz, livez, readyz; group must be formed like a name',
    ],
  ])('names the check and what it must have: %o', (definition, text) => {
    let message = '';
    try {
      createHealth().add(definition as HealthCheck);
    } catch (error) {
      ({ message } = error as TypeError);
    }
    // The rest of each fault is the given value.
    expect(message.replaceAll(/, not [^;]*/g, '')).toBe(text);
  });
});

it('an error of remove explains that the check is built in', () => {
  expect(() => createHealth().remove('ping')).toThrow(new TypeError('health.remove: "ping" is built in'));
});

it('an error of report names the root, and what it must be', async () => {
  const { report } = createHealth();
  await expect(report('startupz' as never)).rejects.toThrow(
    /^health\.report: the root must be one of healthz, livez, readyz/,
  );
  await expect(report('livez', { exclude: 'ping' as never })).rejects.toThrow(
    /^health\.report: exclude must be a list/,
  );
});
