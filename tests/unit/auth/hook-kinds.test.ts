import { describe, expect, it } from 'vitest';
import { allowRules } from '../../../src/auth/allow-rules.js';
import { allowAnonymous, clientCertificate, firstAuthenticator } from '../../../src/auth/authenticators.js';
import { allowAuthenticated, allowEverybody, anyOf } from '../../../src/auth/authorizers.js';
import { aHook, aRequiredHook, type HookName } from '../../../src/auth/hook-kinds.js';
import { staticTokens } from '../../../src/auth/static-tokens.js';
import { createEvents } from '../../../src/events/create-events.js';
import { createHealth } from '../../../src/health/create-health.js';
import { createApiServer } from '../../../src/server/create-api-server.js';
import { memoryStore } from '../../../src/store/memory/memory-store.js';

const authenticators = {
  allowAnonymous: allowAnonymous(),
  clientCertificate: clientCertificate(),
  firstAuthenticator: firstAuthenticator(allowAnonymous()),
  staticTokens: staticTokens({ s3cret: { name: 'jane' } }),
};
const authorizers = {
  allowAuthenticated: allowAuthenticated(),
  allowEverybody: allowEverybody(),
  allowRules: allowRules([]),
  anyOf: anyOf(allowEverybody()),
};
const makers = { allowAnonymous, clientCertificate, firstAuthenticator, staticTokens };
const authorizerMakers = { allowAuthenticated, allowEverybody, allowRules, anyOf };

const hookFault = (hook: HookName, value: unknown): string | undefined => aRequiredHook(hook)(value, hook)[0];

describe('aHook', () => {
  it('accepts the right kind of hook, and functions of the service', () => {
    for (const hook of Object.values(authenticators)) expect(hookFault('authenticate', hook)).toBeUndefined();
    for (const hook of Object.values(authorizers)) expect(hookFault('authorize', hook)).toBeUndefined();
    expect(hookFault('authenticate', () => undefined)).toBeUndefined();
    expect(hookFault('authorize', () => ({ allowed: true }))).toBeUndefined();
  });

  it.each(Object.entries(authenticators))('reports %s() in the place of an authorizer', (name, hook) => {
    expect(hookFault('authorize', hook)).toBe(
      `authorize must be an authorizer, which says what a caller may do, and was given ${name}(), an authenticator; ` +
        'to allow everything, use allowAuthenticated() for callers with a credential or allowEverybody() for all',
    );
  });

  it.each(Object.entries(authorizers))('reports %s() in the place of an authenticator', (name, hook) => {
    expect(hookFault('authenticate', hook)).toBe(
      `authenticate must be an authenticator, which says who a caller is, and was given ${name}(), an authorizer; ` +
        'to accept everybody as system:anonymous, use allowAnonymous()',
    );
  });

  it.each(Object.entries(makers))('reports %s, which makes an authenticator, if it was not called', (name, make) => {
    expect(hookFault('authenticate', make)).toBe(
      `authenticate was given the function ${name} itself, which makes an authenticator: call it, as in ${name}(…)`,
    );
    expect(hookFault('authorize', make)).toContain(`was given ${name}, which makes an authenticator; to allow`);
  });

  it.each(Object.entries(authorizerMakers))(
    'reports %s, which makes an authorizer, if it was not called',
    (name, make) => {
      expect(hookFault('authorize', make)).toBe(
        `authorize was given the function ${name} itself, which makes an authorizer: call it, as in ${name}(…)`,
      );
      expect(hookFault('authenticate', make)).toContain(`was given ${name}, which makes an authorizer; to accept`);
    },
  );

  it('gives advice for each hook when there is no function', () => {
    const [who, may] = [hookFault('authenticate', 7), hookFault('authorize', undefined)];
    expect(aHook('authorize')(undefined, 'authorize')).toEqual([]);
    expect(who).toBe('authenticate must be a function; to accept everybody as system:anonymous, use allowAnonymous()');
    expect(may).toMatch(/^authorize must be a function; .*allowAuthenticated\(\)/);
    expect(may).not.toContain('allowAnonymous');
  });
});

describe('every function that takes the hooks', () => {
  const store = memoryStore();
  const part = { handle: () => undefined };
  const parts: Record<string, (hooks: object) => unknown> = {
    createEvents: (hooks) => createEvents({ apiDomain: 'example.com', store, ...hooks } as never),
    createHealth: (hooks) => createHealth(hooks),
    createApiServer: (hooks) => createApiServer({ health: part, events: part, ...hooks } as never),
  };
  const good = { authenticate: allowAnonymous(), authorize: allowAuthenticated() };

  it.each(Object.keys(parts))('refuses hooks in the wrong place and factories that were not called: %s', (name) => {
    const make = (hooks: object) => () => parts[name]?.({ ...good, ...hooks });
    expect(make({ authorize: allowAnonymous() })).toThrow(TypeError);
    expect(make({ authorize: allowAnonymous() })).toThrow(
      new RegExp(`^${name}: authorize must be an authorizer, .*allowAnonymous\\(\\), an authenticator`),
    );
    expect(make({ authenticate: allowEverybody() })).toThrow(/authenticate must be an authenticator/);
    expect(make({ authorize: allowAuthenticated, authenticate: staticTokens })).toThrow(
      /authenticate was given the function staticTokens itself.*; authorize was given the function allowAuthenticated itself/,
    );
    expect(make({ authenticate: 'admin' })).toThrow(/authenticate must be a function/);
  });

  it('refuses them where hooks are combined as well', () => {
    expect(() => firstAuthenticator(allowEverybody() as never)).toThrow(/authenticator 1 must be an authenticator/);
    expect(() => firstAuthenticator(allowAnonymous(), staticTokens as never)).toThrow(
      /authenticator 2 was given the function staticTokens itself/,
    );
    expect(() => anyOf(allowAnonymous() as never)).toThrow(/authorizer 1 must be an authorizer/);
    expect(() => anyOf(allowEverybody as never)).toThrow(/authorizer 1 was given the function allowEverybody itself/);
  });
});
