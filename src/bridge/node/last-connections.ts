/**
 * Set on a server while `gracefulClose` still accepts the connections that wait in the system. It belongs to the server, so
 * that the listener knows, and has a registered name, because there may be two copies of this package.
 */
const ACCEPTS_LAST: unique symbol = Symbol.for('kube-vitals.acceptsLastConnections') as never;

type Marked = { [ACCEPTS_LAST]?: boolean };

/** A server accepts its last connections, or does not any more. */
export function acceptsLast(server: object, value: boolean): void {
  (server as Marked)[ACCEPTS_LAST] = value;
}

/**
 * True while the server of a connection accepts its last connections. Who is told to go then comes again at once, and would
 * be among those that still wait when it stops.
 */
export function isAcceptingLast(socket: { readonly server?: object | null | undefined } | null): boolean {
  return (socket?.server as Marked | null | undefined)?.[ACCEPTS_LAST] === true;
}
