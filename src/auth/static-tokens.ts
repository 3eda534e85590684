import type { Caller } from '../model/caller.js';
import { badCredential, type Authenticate, AUTHENTICATED } from './contract.js';
import { bearerToken } from './bearer-token.js';
import { hookFactory } from './hook-kinds.js';
import { described, optionFaults, throwFaults, type OptionRules } from '../options/check-options.js';
import { aListOfStrings, aNonEmptyString, aString, required } from '../options/rules.js';

/** The user of a static token. The group `system:authenticated` is added. */
export interface StaticTokenCaller {
  /** The user name. */
  readonly name: string;
  /** The stable identifier of the user. Default: none. */
  readonly uid?: string | undefined;
  /** Default: none. */
  readonly groups?: readonly string[] | undefined;
}

/** Users by token. */
export type StaticTokens = Readonly<Record<string, StaticTokenCaller>> | ReadonlyMap<string, StaticTokenCaller>;

/**
 * Authenticates callers by fixed bearer tokens, with the semantics of the token file of Kubernetes. The time of a
 * lookup reveals nothing about a nearly correct token: texts are compared only if their hashes are equal, and the
 * hashes have a different seed in every process. An unknown token is refused (401); a request without one is left to
 * the next authenticator.
 *
 * @throws TypeError listing every token that is empty, not printable ASCII, or made from a missing value
 * (`undefined`, `null`, `NaN`, `true`, `false`), and every caller without a name
 * @function
 */
export const staticTokens: (tokens: StaticTokens) => Authenticate = /* @__PURE__ */ hookFactory(
  'authenticate',
  'staticTokens',
  fromTokens,
);

function fromTokens(tokens: StaticTokens): Authenticate {
  const callers = readCallers(tokens);
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const found = callers.get(token);
    if (found === undefined) throw badCredential('unknown bearer token');
    return found;
  };
}

/** The strings into which JavaScript converts a missing value as an object key or in a template. */
const ACCIDENTS: ReadonlySet<unknown> = new Set(['undefined', 'null', 'NaN', 'true', 'false']);

function tokenFault(token: unknown): string | undefined {
  const hint = 'read the token before and stop when it is missing, for example an environment variable that is not set';
  if (ACCIDENTS.has(token)) return `is the text "${String(token)}", which anybody would guess; ${hint}`;
  if (typeof token !== 'string') return `must be a string, not ${described(token)}; ${hint}`;
  if (/^\[object \w*\]$/.test(token))
    return `is the text "${token}": an object was converted to a string; pass the token itself`;
  if (token === '') return `must be printable ASCII without spaces, and is empty; ${hint}`;
  return /^[\x21-\x7e]+$/.test(token)
    ? undefined
    : 'must be printable ASCII without spaces, since the header can contain no other';
}

const callerRules = (): OptionRules<StaticTokenCaller> => ({
  name: required(aNonEmptyString),
  uid: aString,
  groups: aListOfStrings,
});

function readCallers(tokens: StaticTokens): ReadonlyMap<string, Caller> {
  if (typeof tokens !== 'object' || tokens === null) {
    throw new TypeError('staticTokens: expected an object { token: { name, uid?, groups? } } or a Map of the same');
  }
  const pairs = isMap(tokens) ? [...tokens] : Object.entries(tokens);
  const faults = pairs.flatMap(([token, caller], index) => {
    // The token is a secret: faults name its position only.
    const where = `token ${index + 1}`;
    const fault = tokenFault(token);
    return [
      ...(fault === undefined ? [] : [`${where} ${fault}`]),
      ...optionFaults(caller, callerRules(), undefined, 'caller').map((fault) => `${where}: ${fault}`),
    ];
  });
  throwFaults('staticTokens', faults);
  return new Map(pairs.map(([token, caller]) => [token, callerOf(caller)]));
}

/** Recognises a Map of another realm as well. */
function isMap(tokens: StaticTokens): tokens is ReadonlyMap<string, StaticTokenCaller> {
  return Symbol.iterator in tokens;
}

function callerOf({ name, uid, groups = [] }: StaticTokenCaller): Caller {
  return Object.freeze({
    name,
    ...(uid !== undefined && { uid }),
    groups: Object.freeze(groups.includes(AUTHENTICATED) ? [...groups] : [...groups, AUTHENTICATED]),
  });
}
