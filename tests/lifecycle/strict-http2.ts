import { once } from 'node:events';
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { ClientContext } from './strict-load.js';

/** One session, and the content of its GOAWAY. */
interface Session {
  readonly session: ClientHttp2Session;
  /** The last stream that the server has processed or will process; Infinity before GOAWAY. */
  last: number;
}

/**
 * Starts clients with several requests at a time on one session, with pauses in which the session is idle, and with a
 * session for each request. A session that gets GOAWAY is replaced. A stream above the last one that GOAWAY names, or
 * that is reset with REFUSED_STREAM, was not processed (RFC 9113, 6.8 and 8.7), so it is no failure.
 */
export function startHttp2Clients(context: ClientContext): readonly Promise<void>[] {
  const { target, outcome, around, start } = context;

  /** Undefined when the connection is refused. */
  const open = async (): Promise<Session | undefined> => {
    const session = connect(`http://127.0.0.1:${target.port}`);
    const opened: Session = { session, last: Infinity };
    session.on('goaway', (_code: number, last: number) => {
      outcome.farewells++;
      opened.last = last;
    });
    let refused = false;
    session.on('error', (error: NodeJS.ErrnoException) => (refused ||= error.syscall === 'connect'));
    await new Promise((resolve) => session.once('connect', resolve).once('close', resolve));
    return refused ? undefined : opened;
  };
  /** Requests all paths at a time, each `requests` times on one session. */
  const client = (paths: readonly string[], thinkMs: number, requests = Infinity): Promise<void> =>
    start(async (arrived) => {
      let first: (() => void) | undefined = arrived;
      for (let opened = await open(); opened !== undefined; opened = await open()) {
        const current = opened;
        const { session } = current;
        const closed = new Promise((resolve) => session.once('close', resolve));
        await Promise.all(
          paths.map(async (path) => {
            for (let sent = 0; sent < requests && !session.closed && !session.destroyed; sent++) {
              await send(context, current, path);
              first?.();
              first = undefined;
              if (thinkMs > 0) await pause(around(thinkMs));
            }
          }),
        );
        session.close();
        await closed;
      }
    });
  const posting = target.events === undefined ? [] : [target.events, target.events];
  return [
    ...Array.from({ length: 3 }, () => client(['/busy', '/busy', '/slow', ...posting], 0)),
    ...Array.from({ length: 6 }, (_, index) => client(['/idle', ...posting.slice(1)], 20 * (index + 1))),
    ...Array.from({ length: 4 }, () => client(['/fresh'], 0, 1)),
    ...posting.map((path) => client([path], 0, 1)),
  ];
}

async function send({ ask }: ClientContext, opened: Session, path: string): Promise<void> {
  const { method, headers, body, answered, lost } = ask(path);
  const stream = opened.session.request({ ...headers, ':path': path, ':method': method });
  let status: number | undefined;
  let length = 0;
  stream.on('response', (response) => (status = response[':status']));
  stream.on('data', (chunk: Uint8Array) => (length += chunk.length));
  const closed = once(stream, 'close');
  stream.end(body);
  const failure = await closed.then(() => 'incomplete', String);
  if (stream.rstCode === constants.NGHTTP2_NO_ERROR && length > 0) return answered(status);
  // The content of GOAWAY is known one turn after the streams have ended.
  await turn();
  const processed = stream.id !== undefined && stream.id <= opened.last;
  if (processed && stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM) lost(failure);
}
