import { connect, type Socket } from 'node:net';

/** Pieces of a body, without chunk framing. Valid only during the call. */
export type BodySink = (bytes: Buffer, start: number, end: number) => void;

/** One response. The object is reused by its connection. */
export interface HttpResponse {
  status: number;
  /** Bytes of the body. */
  length: number;
  /** When the head was complete, `performance.now()`. */
  headAt: number;
  /** The beginning of the body. */
  start: string;
}

type Done = (response: HttpResponse) => void;

const READING = { head: 0, body: 1, size: 2, chunk: 3, gap: 4, last: 5 } as const;
type State = (typeof READING)[keyof typeof READING];

/** How much of a body is kept as text, unless a flow needs more. */
const KEPT_BYTES = 400;

/**
 * All connections read into it: new memory for each read would be a third of what a thousand watchers cost the client.
 */
const BUFFER = Buffer.allocUnsafeSlow(262_144);

/**
 * A keep-alive connection over a raw socket that knows just enough HTTP/1.1: one request at a time, bodies counted rather
 * than kept. Cheap, so that the client is not the bottleneck.
 */
export class Connection {
  readonly socket: Socket;
  readonly #response: HttpResponse = { status: 0, length: 0, headAt: 0, start: '' };
  #state: State = READING.head;
  #left = 0;
  #carry: Buffer | undefined;
  #done: Done | undefined;
  #sink: BodySink | undefined;
  #onHead: Done | undefined;
  #closed: string | undefined;
  readonly #kept: number;

  /** @param kept how many bytes of a body are kept as text */
  constructor(host: string, port: number, kept: number = KEPT_BYTES) {
    this.#kept = kept;
    const callback = (length: number): boolean => {
      this.#read(BUFFER.subarray(0, length));
      return true;
    };
    this.socket = connect({ host, port, noDelay: true, onread: { buffer: BUFFER, callback } });
    this.socket.on('error', (error) => this.#fail(error.message));
    this.socket.on('close', () => this.#fail('connection closed'));
  }

  /** `done` is called once, with status 0 when the connection fails. */
  send(request: string, done: Done, sink?: BodySink, onHead?: Done): void {
    if (this.#closed !== undefined) {
      const response = { status: 0, length: 0, headAt: performance.now(), start: this.#closed };
      setImmediate(() => done(response));
      return;
    }
    this.#done = done;
    this.#sink = sink;
    this.#onHead = onHead;
    this.socket.write(request, 'latin1');
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  close(): void {
    this.#done = undefined;
    this.socket.destroy();
  }

  #fail(why: string): void {
    this.#closed ??= why;
    const done = this.#done;
    this.#done = undefined;
    this.#response.status = 0;
    this.#response.start = why;
    done?.(this.#response);
  }

  #read(received: Buffer): void {
    let bytes = received;
    if (this.#carry) {
      bytes = Buffer.concat([this.#carry, received]);
      this.#carry = undefined;
    }
    let at = 0;
    while (at < bytes.length) {
      const next = this.#step(bytes, at);
      if (next === -1) {
        this.#carry = Buffer.from(bytes.subarray(at));
        return;
      }
      at = next;
    }
  }

  /** The offset to continue from, or -1 when more bytes are needed. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case READING.head:
        return this.#head(bytes, at);
      case READING.body:
      case READING.chunk: {
        const end = Math.min(at + this.#left, bytes.length);
        this.#take(bytes, at, end);
        this.#left -= end - at;
        if (this.#left === 0) {
          if (this.#state === READING.body) this.#end();
          else {
            this.#state = READING.gap;
            this.#left = 2;
          }
        }
        return end;
      }
      case READING.gap: {
        // Most reads end here: that the chunk's line break is still missing must not cause a copy.
        const end = Math.min(at + this.#left, bytes.length);
        this.#left -= end - at;
        if (this.#left === 0) this.#state = READING.size;
        return end;
      }
      case READING.size: {
        const end = bytes.indexOf('\r\n', at, 'latin1');
        if (end === -1) return -1;
        this.#left = Number.parseInt(bytes.toString('latin1', at, end), 16);
        this.#state = this.#left === 0 ? READING.last : READING.chunk;
        return end + 2;
      }
      case READING.last:
        if (bytes.length < at + 2) return -1;
        this.#end();
        return at + 2;
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if (end === -1) return -1;
    const head = bytes.toString('latin1', at, end);
    const response = this.#response;
    response.status = Number(head.slice(9, 12));
    response.length = 0;
    response.headAt = performance.now();
    response.start = '';
    this.#onHead?.(response);
    const length = /\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#left = Number(length ?? 0);
    this.#state = length === undefined ? READING.size : READING.body;
    if (this.#left === 0 && length !== undefined) this.#end();
    return end + 4;
  }

  #take(bytes: Buffer, start: number, end: number): void {
    const response = this.#response;
    if (response.length < this.#kept) {
      response.start += bytes.toString('latin1', start, Math.min(end, start + this.#kept - response.length));
    }
    response.length += end - start;
    this.#sink?.(bytes, start, end);
  }

  #end(): void {
    this.#state = READING.head;
    const done = this.#done;
    this.#done = undefined;
    done?.(this.#response);
  }
}
