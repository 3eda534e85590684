import type { Clock } from '../clock/clock.js';
import { isStream } from '../http/response-shape.js';
import type { ApiResponse } from '../http/response.js';

/** What Kubernetes answers when an ordinary request took too long: a Status without kind and apiVersion, sent as text. */
const TOO_LATE: ApiResponse = Object.freeze({
  status: 504,
  headers: Object.freeze({ 'content-type': 'text/plain; charset=utf-8' }),
  body:
    '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",' +
    '"reason":"Timeout","details":{},"code":504}\n',
});

/**
 * The answer, or 504 when there is none in time. The work itself cannot be stopped: a write may still happen, and what it
 * answers then is thrown away.
 */
export function withinDeadline(work: Promise<ApiResponse>, ms: number, clock: Clock): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = clock.setTimer(() => {
      late = true;
      resolve(TOO_LATE);
    }, ms);
    work.then(
      (response) => {
        timer.cancel();
        if (late && isStream(response.body)) void response.body[Symbol.asyncIterator]().return?.();
        resolve(response);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error as Error);
      },
    );
  });
}
