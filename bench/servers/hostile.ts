// The worst requests, sent to the handlers directly: their cost must not depend on sockets.
import {
  allowAuthenticated,
  createEvents,
  createHealth,
  firstOf,
  memoryStore,
  staticTokens,
  type ApiHandler,
} from 'kube-vitals';
import type { HostileRequest, MadeRequest } from '../hostile/contract.js';
import { corpus } from '../hostile/corpus.js';
import { COLLECTION, STORED } from '../hostile/making.js';
import { longestStretch, ordinaryEvent, sendHostile, type HostileResponse } from '../hostile/send.js';
import { TOKEN } from '../protocol.js';
import { answerCalls } from '../rpc.js';

const authenticate = staticTokens({ [TOKEN]: { name: 'bench', groups: ['bench'] } });
const authorize = allowAuthenticated();
const authorization = `Bearer ${TOKEN}`;

/** Which request is to be measured, and how long a body may be. */
export interface HostileCall {
  readonly id: string;
  readonly bodyBytes: number;
}

/** The cost of one request, and its response. */
export interface HostileResult extends Omit<HostileResponse, 'headers'> {
  readonly longestMs: number;
}

const LARGEST_EVENT = 3_145_728;

interface Served {
  readonly handle: ApiHandler;
  close(): Promise<void>;
}

/** Starts the handlers over a store with one ordinary event. */
async function serve(maxBodyBytes: number): Promise<Served> {
  // Durable stores accept events as long as the longest bodies.
  const store = memoryStore({ maxEventBytes: LARGEST_EVENT });
  const events = createEvents({ apiDomain: 'example.com', coreV1: true, store, authenticate, authorize, maxBodyBytes });
  const health = createHealth({ authenticate, authorize });
  const headers = { authorization, 'content-type': 'application/json' };
  const body = new TextEncoder().encode(ordinaryEvent(STORED));
  const { status } = await sendHostile(events.handle, { method: 'POST', url: COLLECTION, headers, body });
  if (status !== 201) throw new Error(`the ordinary event was answered with ${status}`);
  return {
    handle: firstOf(health.handle, events.handle),
    async close() {
      await events.close();
      await store.close();
    },
  };
}

const known = (made: MadeRequest): MadeRequest => ({ ...made, headers: { authorization, ...made.headers } });

async function prepare(hostile: HostileRequest, bodyBytes: number): Promise<Served> {
  const served = await serve(bodyBytes);
  for (const earlier of hostile.before?.(bodyBytes) ?? []) {
    const { status } = await sendHostile(served.handle, known(earlier));
    if (status >= 300) throw new Error(`${hostile.id}: what comes before was answered with ${status}`);
  }
  return served;
}

/** The last handlers, which consecutive requests that change nothing share. */
let read:
  { readonly before: HostileRequest['before']; readonly bodyBytes: number; readonly served: Served } | undefined;

/** Measures one request. One that writes gets new handlers and a new store, so that it does not slow down the next. */
async function measure(hostile: HostileRequest, bodyBytes: number): Promise<HostileResult> {
  const made = hostile.make(bodyBytes);
  const { before } = hostile;
  const again = read !== undefined && read.before === before && read.bodyBytes === bodyBytes;
  const keeps = before !== undefined && made.method === 'GET';
  if (read && !(keeps && again)) {
    await read.served.close();
    read = undefined;
  }
  const served = read?.served ?? (await prepare(hostile, bodyBytes));
  if (keeps) read = { before, bodyBytes, served };
  const request = hostile.authenticated ? known(made) : made;
  try {
    let response: HostileResponse | undefined;
    const longestMs = await longestStretch(async () => {
      response = await sendHostile(served.handle, request);
    });
    const { status = 0, bytes = 0 } = response ?? {};
    return { status, bytes, longestMs };
  } finally {
    if (!keeps) await served.close();
  }
}

answerCalls({
  measure: ({ id, bodyBytes }: HostileCall) => {
    const found = corpus.find((request) => request.id === id);
    if (!found) throw new Error(`no request ${id}`);
    return measure(found, bodyBytes);
  },
});
