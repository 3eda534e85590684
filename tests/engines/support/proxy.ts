import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy to a port of this machine that can disturb its connections. */
export interface Proxy {
  readonly port: number;
  /** From now on new connections go to another port. */
  readonly aim: (port: number) => void;
  /** Destroys every connection without notice to either side; new ones go through. */
  readonly cut: () => void;
  /** Accepts connections and bytes and passes nothing on, like a network that drops packets. */
  readonly swallow: () => void;
  /** Every chunk is passed on this much later, in order. */
  readonly delay: (ms: number) => void;
  /** From now on chunks wait for `release`. */
  readonly hold: () => void;
  /** Ends `hold`: passes on what has waited, in order and with the pauses in which it came. */
  readonly release: () => void;
  /** Ends `swallow` and `delay`. What was swallowed is lost, so its connections break. */
  readonly heal: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a proxy that passes bytes on unchanged. */
export async function createProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const dirty = new Set<Socket>();
  let swallowing = false;
  let delayMs = 0;
  let waiting: { readonly at: number; readonly write: () => void }[] | undefined;
  let port = target;

  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const pass = (from: Socket, to: Socket): void => {
    const held: Buffer[] = [];
    sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      // While the proxy swallows, neither side learns that the other one is gone.
      if (swallowing) dirty.add(to);
      else to.destroy();
    });
    from.on('data', (chunk: Buffer) => {
      if (swallowing) {
        dirty.add(from).add(to);
        return;
      }
      // Bytes keep their order, also when the delay ends while some of them still wait.
      held.push(chunk);
      const write = (): void => {
        const first = held.shift();
        if (first !== undefined && !to.destroyed && !to.write(first)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      };
      if (waiting !== undefined) waiting.push({ at: performance.now(), write });
      else if (delayMs === 0 && held.length === 1) write();
      else setTimeout(write, delayMs);
    });
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    aim: (next) => (port = next),
    cut,
    swallow: () => (swallowing = true),
    delay: (ms) => (delayMs = ms),
    hold: () => (waiting = []),
    release() {
      const [first, ...others] = waiting ?? [];
      waiting = undefined;
      first?.write();
      for (const { at, write } of others) setTimeout(write, at - (first?.at ?? at));
    },
    heal() {
      swallowing = false;
      delayMs = 0;
      dirty.forEach((socket) => socket.destroy());
      dirty.clear();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
