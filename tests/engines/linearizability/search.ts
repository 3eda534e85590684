/** A call of a short history: a step of the one register that all of them share. */
export interface SearchCall {
  readonly invoked: number;
  /** Infinity: no response came, but the write happened, since its effect was seen. */
  readonly returned: number;
  readonly effect:
    | { readonly write: number; readonly removes?: boolean }
    /** `undefined`: there was nothing. */
    | { readonly read: number | undefined };
}

/**
 * Wing and Gong's search: tries every order in which no call comes before one that had ended when it began.
 * Exponential, so only for histories of a few calls; it is the plain definition, with which the fast check is compared.
 *
 * Writes have to come in the order of their revisions, which are unique.
 */
export function isLinearizable(calls: readonly SearchCall[]): boolean {
  const tried = new Set<string>();
  const search = (left: readonly SearchCall[], state: number | undefined, last: number): boolean => {
    if (left.length === 0) return true;
    const place = `${left.map((call) => calls.indexOf(call)).join()} ${state} ${last}`;
    if (tried.has(place)) return false;
    tried.add(place);
    const firstEnd = Math.min(...left.map((call) => call.returned));
    return left.some((call) => {
      if (call.invoked > firstEnd) return false;
      const rest = left.filter((other) => other !== call);
      if ('read' in call.effect) return call.effect.read === state && search(rest, state, last);
      const { write, removes = false } = call.effect;
      return write > last && search(rest, removes ? undefined : write, write);
    });
  };
  return search(calls, undefined, 0);
}
