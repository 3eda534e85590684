import { clauseCovers, parseAccept, type AcceptClause } from '../../http/accept.js';
import type { RequestHeaders } from '../../http/request.js';
import type { Query } from '../../http/url.js';
import type { TypeMeta } from '../decode/type-meta.js';
import { notAcceptable } from '../status/failures.js';
import type { StatusFailure } from '../status/status-failure.js';
import { SERIALIZERS } from './media-types.js';
import type { Serializer } from './serializer.js';

/** What negotiation reads: headers, and the first values of the query parameters `pretty` and `includeObject`. */
export interface NegotiationInputs {
  readonly accept?: string | undefined;
  readonly pretty?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly acceptEncoding?: string | undefined;
  readonly includeObject?: string | undefined;
}

export function negotiationInputs(headers: RequestHeaders | undefined, query: Query): NegotiationInputs {
  const header = (name: string): string | undefined => {
    const value = headers?.[name];
    return value === undefined || typeof value === 'string' ? value : value.join(', ');
  };
  return {
    accept: header('accept'),
    pretty: query.get('pretty')?.[0],
    userAgent: header('user-agent'),
    acceptEncoding: header('accept-encoding'),
    includeObject: query.get('includeObject')?.[0],
  };
}

/** Whether the second stage may choose a conversion (`as`, `g` and `v` of a clause), or none, with a serializer. */
export type Allows = (conversion: TypeMeta | undefined, serializer: Serializer) => boolean;

export interface Choice {
  readonly serializer: Serializer;
  readonly conversion: TypeMeta | undefined;
}

/** For documents and failures, which have no conversions. */
export const plainOnly: Allows = (conversion) => conversion === undefined;

function conversionOf({ params }: AcceptClause): TypeMeta | undefined {
  const [kind, group, version] = [params.get('as'), params.get('g'), params.get('v')];
  if (kind === undefined && group === undefined && version === undefined) return undefined;
  return { kind: kind ?? '', group: group ?? '', version: version ?? '' };
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const HUMAN_CLIENTS = ['curl', 'Wget', 'Mozilla/5.0'];

function wantsPretty({ pretty, userAgent }: NegotiationInputs): boolean {
  if (pretty) return TRUE.has(pretty);
  return userAgent !== undefined && isHumanClient(userAgent);
}

/** Whether a client shows responses to a person, so that they are indented. */
export function isHumanClient(userAgent: string): boolean {
  return HUMAN_CLIENTS.some((name) => userAgent.startsWith(name));
}

/** Chooses the first clause, in order of preference, that can be served. `served` is the version that `sv` may name. */
export function choose(inputs: NegotiationInputs, allows: Allows, served?: string): Choice | undefined {
  const pretty = wantsPretty(inputs);
  const choice = (serializer: Serializer, clause?: AcceptClause): Choice => ({
    serializer: ((pretty || clause?.params.get('pretty') === '1') && serializer.pretty) || serializer,
    conversion: clause && conversionOf(clause),
  });
  if (!inputs.accept || inputs.accept === '*/*' || inputs.accept === 'application/json') {
    const serializer = SERIALIZERS.find((candidate) => allows(undefined, candidate));
    return serializer && choice(serializer);
  }
  for (const clause of parseAccept(inputs.accept)) {
    for (const serializer of SERIALIZERS) {
      if (!clauseCovers(clause, serializer.mediaType)) continue;
      const [stream, serverVersion] = [clause.params.get('stream'), clause.params.get('sv')];
      if (stream && (stream !== 'watch' || !serializer.streamType)) continue;
      if (serverVersion && serverVersion !== served) continue;
      if (allows(conversionOf(clause), serializer)) return choice(serializer, clause);
    }
  }
  return undefined;
}

export function onlyTypes(types: readonly string[]): StatusFailure {
  return notAcceptable(`only the following media types are accepted: ${types.join(', ')}`);
}
