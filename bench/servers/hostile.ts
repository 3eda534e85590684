// The worst requests, asked of the handlers themselves: what they cost must not depend on sockets.
import {
  allowAuthenticated,
  createEvents,
  createHealth,
  firstOf,
  memoryStore,
  staticTokens,
  type ApiHandler,
} from 'kube-vitals';
import type { HostileRequest } from '../hostile/contract.js';
import { corpus } from '../hostile/corpus.js';
import { COLLECTION, STORED } from '../hostile/making.js';
import { longestStretch, ordinaryEvent, sendHostile, type HostileAnswer } from '../hostile/send.js';
import { TOKEN } from '../protocol.js';
import { answerCalls } from '../rpc.js';

const authenticate = staticTokens({ [TOKEN]: { name: 'bench', groups: ['bench'] } });
const authorize = allowAuthenticated();
const authorization = `Bearer ${TOKEN}`;

/** What one request cost, and came to. */
export interface HostileResult extends Omit<HostileAnswer, 'headers'> {
  readonly longestMs: number;
}

/** Everything is new for each request: what one has stored is no burden of the next. */
async function fresh<T>(run: (handle: ApiHandler) => Promise<T>): Promise<T> {
  const store = memoryStore();
  const events = createEvents({ apiDomain: 'example.com', store, authenticate, authorize });
  const health = createHealth({ authenticate, authorize });
  try {
    const headers = { authorization, 'content-type': 'application/json' };
    const body = new TextEncoder().encode(ordinaryEvent(STORED));
    const { status } = await sendHostile(events.handle, { method: 'POST', url: COLLECTION, headers, body });
    if (status !== 201) throw new Error(`the ordinary event was answered with ${status}`);
    return await run(firstOf(health.handle, events.handle));
  } finally {
    await events.close();
    await store.close();
  }
}

async function measure({ authenticated, make }: HostileRequest): Promise<HostileResult> {
  const made = make();
  const request = authenticated ? { ...made, headers: { authorization, ...made.headers } } : made;
  return fresh(async (handle) => {
    let answer: HostileAnswer | undefined;
    const longestMs = await longestStretch(async () => {
      answer = await sendHostile(handle, request);
    });
    const { status = 0, bytes = 0 } = answer ?? {};
    return { status, bytes, longestMs };
  });
}

answerCalls({
  measure: (id: string) => {
    const found = corpus.find((request) => request.id === id);
    if (!found) throw new Error(`no request ${id}`);
    return measure(found);
  },
});
