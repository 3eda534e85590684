import { onTestFinished } from 'vitest';
import { createEventsClient, type EventsClient, type EventsClientOptions } from '../../../src/client.js';
import type { ApiRequest, ApiResponse, Event } from '../../../src/client.js';
import { fakeClock, type FakeClock } from '../../../src/testing.js';

/** A response with a JSON body. */
export const json = (status: number, body: object, headers: ApiResponse['headers'] = {}): ApiResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** A refusal. */
export const refused = (code: number, reason: string, headers: ApiResponse['headers'] = {}): ApiResponse =>
  json(
    code,
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: `refused: ${reason}`, reason, code },
    headers,
  );

/** An event that is complete. */
export const event = (name: string, more: Partial<Event> = {}): Event => ({
  metadata: { name, namespace: 'default' },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
  ...more,
});

/** A response, or what a server fails with. */
export type ScriptedResponse =
  ApiResponse | Error | undefined | ((request: ApiRequest) => ApiResponse | Promise<ApiResponse>);

/** A client whose server gives these responses, one after the other. Time passes by itself where the client waits. */
export function scriptedClient(
  responses: readonly ScriptedResponse[],
  options: Partial<EventsClientOptions> = {},
): {
  readonly client: EventsClient;
  readonly clock: FakeClock;
  /** `METHOD url` of each request, and when it came, in milliseconds. */
  readonly asked: { readonly line: string; readonly at: number; readonly body: unknown }[];
} {
  const clock = fakeClock();
  const asked: { line: string; at: number; body: unknown }[] = [];
  let running = true;
  onTestFinished(() => void (running = false));
  const pass = (): void => {
    if (!running) return;
    clock.advance(50);
    setImmediate(pass);
  };
  setImmediate(pass);
  const client = createEventsClient({
    transport: async (request) => {
      const text = await request.body?.(1e9);
      asked.push({
        line: `${request.method} ${request.url}`,
        at: clock.monotonic(),
        body: text === undefined ? undefined : JSON.parse(text as string),
      });
      const next = responses[asked.length - 1];
      if (asked.length > responses.length) throw new Error('the client asks more often than the test answers');
      if (next instanceof Error) throw next;
      return typeof next === 'function' ? next(request) : next;
    },
    group: 'events.example.com',
    namespace: 'default',
    clock,
    ...options,
  });
  return { client, clock, asked };
}

/** What a call rejects with. */
export const failureOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => {
      throw new Error('the call did not fail');
    },
    (error: Error) => error,
  );
