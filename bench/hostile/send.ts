import { openSync, readSync } from 'node:fs';
import type { ApiHandler, ApiResponse } from 'kube-vitals';
import type { MadeRequest } from './contract.js';

/** The response to a hostile request. */
export interface HostileResponse {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  /** Of the body. */
  readonly bytes: number;
}

/** Sends one request of the corpus to a handler and reads the whole response. */
export async function sendHostile(
  handle: ApiHandler,
  { method, url, headers, body }: MadeRequest,
): Promise<HostileResponse> {
  const leave = new AbortController();
  const { signal } = leave;
  const response = await handle({ method, url, headers, signal, ...(body !== undefined && { body: () => body }) });
  if (response === undefined) return { status: 0, headers: {}, bytes: 0 };
  let bytes = 0;
  if (typeof response.body === 'string') bytes = response.body.length;
  else if (response.body !== null && Symbol.asyncIterator in response.body) {
    for await (const chunk of response.body) bytes += chunk.length;
  } else bytes = response.body?.length ?? 0;
  return { status: response.status, headers: response.headers, bytes };
}

/** An ordinary event as JSON. */
export function ordinaryEvent(name: string): string {
  return JSON.stringify({
    kind: 'Event',
    apiVersion: 'events.example.com/v1',
    metadata: { name, labels: { app: 'web' }, annotations: { note: 'x' }, finalizers: ['example.com/one'] },
    eventTime: '2026-03-05T06:07:08.123456Z',
    reportingController: 'example.com/tester',
    reportingInstance: 'tester-0',
    action: 'Testing',
    reason: 'Tested',
    type: 'Normal',
    regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
  });
}

/**
 * The longest time in which the event loop could do nothing else, milliseconds. On Linux this is time of this thread on
 * a processor, so that other programs do not count; elsewhere it is wall time.
 */
export async function longestStretch(run: () => Promise<unknown>): Promise<number> {
  const now = (threadClock ??= threadTime());
  let on = true;
  let last = now();
  let longest = 0;
  const look = (): void => {
    const at = now();
    longest = Math.max(longest, at - last);
    last = at;
    if (on) setImmediate(look);
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  setImmediate(look);
  await turn();
  longest = 0;
  try {
    await run();
    await turn();
    await turn();
  } finally {
    on = false;
  }
  return longest;
}

const REFERENCE_BYTES = /* @__PURE__ */ new TextEncoder().encode(
  JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ name: `event-${index}`, labels: { app: 'web' } }))),
);
/** On the machine on which the limits of docs/limits.md were measured. */
const REFERENCE_MS = 15;

/** How much longer this machine takes at present for ordinary work than the one of the documented limits; at least 1. */
export function machineSlowness(): number {
  const now = (threadClock ??= threadTime());
  let least = Infinity;
  for (let run = 0; run < 2; run++) {
    const from = now();
    const text = new TextDecoder().decode(REFERENCE_BYTES);
    let quotes = 0;
    for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 0x22) quotes++;
    if (quotes === 0 || JSON.stringify(JSON.parse(text)).length !== text.length) throw new Error('not read');
    least = Math.min(least, now() - from);
  }
  return Math.max(1, least / REFERENCE_MS);
}

let threadClock: (() => number) | undefined;

function threadTime(): () => number {
  let file: number;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return () => performance.now();
  }
  const buffer = Buffer.alloc(128);
  return () => {
    // Linux updates the count of a running thread when the time of its process is read, not when this file is.
    process.cpuUsage();
    return Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, 128, 0)).split(' ')[0]) / 1e6;
  };
}
