type NetConnectOpts = import('node:net').NetConnectOpts;

/** The members of a client of `pg` that are used to cancel its query; if one is missing, nothing is cancelled. */
export interface CancellableClient {
  /** The process of the connection in the server, which a CancelRequest contains. */
  readonly processID?: unknown;
  /** The secret key of the connection, which a CancelRequest contains. */
  readonly secretKey?: unknown;
  /** The server, or the directory of its socket. */
  readonly host?: unknown;
  /** The port of the server. */
  readonly port?: unknown;
  /** Not in the types of `pg`, so every part of it is checked. */
  readonly connection?: unknown;
}

const CANCEL_MS = 250;

/** `CancelRequest` of the protocol (PostgreSQL documentation, 53.7): its length, its code, process and key. */
const CANCEL_REQUEST_BYTES = 16;
const CANCEL_REQUEST = 80_877_102;

/**
 * Cancels the current query of a connection. Resolves when the server has processed that, or after 250 ms. The server
 * cancels whatever the connection is doing then, so it must not be used for anything else, and be closed afterwards,
 * not before: a pooler drops the key with the connection.
 *
 * Uses a connection without TLS, as in libpq up to version 16: the key is useless once the first is closed.
 */
export async function cancelQuery(client: CancellableClient): Promise<void> {
  const { processID, secretKey } = client;
  const target = targetOf(client);
  if (target === undefined || typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const { connect } = await import('node:net');
  const request = new DataView(new ArrayBuffer(CANCEL_REQUEST_BYTES));
  for (const [index, value] of [CANCEL_REQUEST_BYTES, CANCEL_REQUEST, processID, secretKey].entries()) {
    request.setInt32(4 * index, value);
  }
  await new Promise<void>((resolve) => {
    const socket = connect(target);
    const timer = setTimeout(() => socket.destroy(), CANCEL_MS);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // The server closes the connection when it has sent the signal.
    socket.on('connect', () => void socket.write(new Uint8Array(request.buffer)));
    socket.resume();
  });
}

function targetOf({ host, port, connection }: CancellableClient): NetConnectOpts | undefined {
  // The actual address: one name may stand for several servers.
  const { stream } = (connection ?? {}) as {
    readonly stream?: { readonly remoteAddress?: string; readonly remotePort?: number };
  };
  const { remoteAddress, remotePort } = stream ?? {};
  if (remoteAddress !== undefined && remotePort !== undefined) return { host: remoteAddress, port: remotePort };
  const local = typeof host === 'string' && host.startsWith('/') && typeof port === 'number';
  return local ? { path: `${host}/.s.PGSQL.${port}` } : undefined;
}
