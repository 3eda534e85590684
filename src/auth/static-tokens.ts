import type { Caller } from '../model/caller.js';
import { bearerToken } from './bearer-token.js';
import type { Authenticate } from './contract.js';
import { stringListFaults, throwFaults } from './option-faults.js';
import { AUTHENTICATED } from './well-known.js';

/** Whom a static token stands for. The group `system:authenticated` is added. */
export interface StaticTokenCaller {
  readonly name: string;
  readonly uid?: string | undefined;
  /** Default: none. */
  readonly groups?: readonly string[] | undefined;
}

/** Tokens and whom they stand for. */
export type StaticTokens = Readonly<Record<string, StaticTokenCaller>> | ReadonlyMap<string, StaticTokenCaller>;

/**
 * Recognises callers by fixed bearer tokens, looked up as Kubernetes looks up those of its token file. The time of a
 * lookup says nothing about a token that is nearly right: texts are compared only where their hashes are equal, and the
 * hashes are seeded anew in every process. An unknown token is refused (401); a request without one is left to the next
 * authenticator.
 *
 * @throws TypeError listing every token that is empty or not printable ASCII, and every caller without a name
 */
export function staticTokens(tokens: StaticTokens): Authenticate {
  const callers = readCallers(tokens);
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const found = callers.get(token);
    if (found === undefined) throw new Error('unknown bearer token');
    return found;
  };
}

/** By token. */
function readCallers(tokens: StaticTokens): ReadonlyMap<string, Caller> {
  if (typeof tokens !== 'object' || tokens === null) {
    throw new TypeError('staticTokens: expected an object { token: { name, uid?, groups? } } or a Map of the same');
  }
  const pairs = isMap(tokens) ? [...tokens] : Object.entries(tokens);
  const faults: string[] = [];
  const callers = pairs.map(([token, caller], index): [token: string, Caller] => {
    // The token itself is a secret: faults name its place only.
    const where = `token ${index + 1}`;
    if (!/^[\x21-\x7e]+$/.test(token)) faults.push(`${where} must be printable ASCII without spaces, and not empty`);
    if (typeof caller?.name !== 'string' || caller.name === '') faults.push(`${where} needs a caller with a name`);
    if (caller?.uid !== undefined && typeof caller.uid !== 'string') faults.push(`uid of ${where} must be a string`);
    if (caller?.groups !== undefined) faults.push(...stringListFaults(`groups of ${where}`, caller.groups));
    return [token, callerOf(caller)];
  });
  throwFaults('staticTokens', faults);
  return new Map(callers);
}

/** Also for a Map of another realm. */
function isMap(tokens: StaticTokens): tokens is ReadonlyMap<string, StaticTokenCaller> {
  return Symbol.iterator in tokens;
}

function callerOf(from: StaticTokenCaller | undefined): Caller {
  const groups: readonly string[] = Array.isArray(from?.groups) ? from.groups : [];
  return Object.freeze({
    name: from?.name ?? '',
    ...(from?.uid !== undefined && { uid: from.uid }),
    groups: Object.freeze(groups.includes(AUTHENTICATED) ? [...groups] : [...groups, AUTHENTICATED]),
  });
}
