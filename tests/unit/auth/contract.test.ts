import { expect, it } from 'vitest';
import { badCredential, isBadCredential } from '../../../src/auth/contract.js';

it('the refusal of a credential has a message of its own unless it is given one, and keeps its cause', () => {
  const cause = new Error('the signature does not match');
  for (const [error, message] of [
    [badCredential(), 'bad credential'],
    [badCredential(undefined, { cause }), 'bad credential'],
    [badCredential('the token has expired', { cause }), 'the token has expired'],
  ] as const) {
    expect([error.name, error.message, isBadCredential(error)]).toEqual(['BadCredential', message, true]);
  }
  expect(badCredential().cause).toBeUndefined();
  expect(badCredential('expired', { cause }).cause).toBe(cause);
});
