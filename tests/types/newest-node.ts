import type { NodeIncoming, NodeOutgoing, NodeSocket } from '../../src/node.js';

/** How `@types/node` 26 declares the listeners of a socket and of a message. */
interface Emitter<Events extends Record<string, unknown[]>> {
  on<E extends keyof Events>(eventName: E, listener: (...args: Events[E]) => void): this;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as declared
  on(eventName: string | symbol, listener: (...args: any[]) => void): this;
  once<E extends keyof Events>(eventName: E, listener: (...args: Events[E]) => void): this;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as declared
  once(eventName: string | symbol, listener: (...args: any[]) => void): this;
  removeListener<E extends keyof Events>(eventName: E, listener: (...args: Events[E]) => void): this;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as declared
  removeListener(eventName: string | symbol, listener: (...args: any[]) => void): this;
}

type Listens = 'on' | 'once' | 'removeListener';
type Newest<Part, Events extends Record<string, unknown[]>> = Omit<Part, Listens> & Emitter<Events>;
interface SocketEvents extends Record<string, unknown[]> {
  close: [hadError: boolean];
  data: [chunk: Buffer];
}
interface MessageEvents extends Record<string, unknown[]> {
  close: [];
  data: [chunk: unknown];
  error: [error: Error];
}

declare const socket: Newest<NodeSocket, SocketEvents>;
declare const incoming: Newest<NodeIncoming, MessageEvents>;
declare const outgoing: Newest<NodeOutgoing, MessageEvents>;

/** The newest types of Node fit those of the bridge. */
export const fitting: readonly [NodeSocket, NodeIncoming, NodeOutgoing] = [socket, incoming, outgoing];
