import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ApiHandler } from '../../../../src/http/handler.js';
import { toNodeListener, type NodeListenerOptions } from '../../../../src/node.js';

type Listener = ReturnType<typeof toNodeListener>;

/** A connection that only records whether it was destroyed. */
export class Socket extends EventEmitter {
  destroyed = false;
  writable = true;
  destroy(): this {
    this.destroyed = true;
    return this;
  }
}

/** A request of node:http whose body the test sends. */
export class Incoming extends PassThrough {
  readonly url = '/';
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly socket: Socket = new Socket();
  complete = false;
  constructor(headers: Record<string, string> = { 'transfer-encoding': 'chunked' }, method = 'POST') {
    super();
    this.method = method;
    this.headers = headers;
    this.on('end', () => (this.complete = true));
  }
}

/** A response of node:http that records its calls. */
export class Outgoing extends EventEmitter {
  headersSent = false;
  destroyed = false;
  shouldKeepAlive = true;
  writableLength = 0;
  socket: Socket | null = new Socket();
  status = 0;
  headers: Record<string, unknown> = {};
  text = '';
  ended = 0;
  flushed = 0;
  writeHead(status: number, headers: Record<string, unknown>): void {
    this.headersSent = true;
    this.status = status;
    this.headers = headers;
  }
  flushHeaders(): void {
    this.flushed++;
  }
  write(chunk: string | Uint8Array, callback?: () => void): boolean {
    this.text += String(Buffer.from(chunk as string));
    if (callback) setImmediate(callback);
    return true;
  }
  end(chunk: string | Uint8Array = '', callback?: () => void): void {
    this.text += String(Buffer.from(chunk as string));
    this.ended++;
    callback?.();
  }
  destroy(): void {
    this.destroyed = true;
  }
}

/** What listens on a message, by event. */
export function listening(message: EventEmitter): Record<string, number> {
  const own = new Incoming();
  const names = message.eventNames().filter((name): name is string => typeof name === 'string');
  const counts = names.map((name) => [name, message.listenerCount(name) - own.listenerCount(name)] as const);
  return Object.fromEntries(counts.filter(([, count]) => message instanceof Outgoing || count > 0));
}

/** Hands a request to a listener. */
export function serve(
  handler: ApiHandler,
  req: Incoming,
  options: NodeListenerOptions = {},
  res: Outgoing = new Outgoing(),
): Outgoing {
  const listener = toNodeListener(handler, options) as unknown as (
    req: Incoming,
    res: Outgoing,
  ) => ReturnType<Listener>;
  listener(req, res);
  return res;
}

/** Lets everything happen that is ready to. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
