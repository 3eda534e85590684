import type { buildConnector, Client, Dispatcher, errors } from 'undici';
import type { ConnectedRequest } from './exchange.js';

interface Undici {
  readonly Client: typeof Client;
  readonly errors: Pick<typeof errors, 'InformationalError'>;
}

/**
 * Makes the clients of a pool over HTTP/2, each with one connection. Left alone, undici keeps a session as long as the
 * server does, also when a request on it is aborted. A session whose server has vanished would then take one request
 * after the other, until the system gives up the connection after a quarter of an hour. As over HTTP/1.1, a connection
 * is therefore closed after a request without a complete response, and after it was idle for `keepAliveMs`.
 */
export function http2Connections(undici: Undici, keepAliveMs: number) {
  return (origin: string | URL, options: object): Dispatcher => {
    const { connect } = options as { readonly connect: buildConnector.connector };
    let idle: ReturnType<typeof setTimeout> | undefined;
    let close = (): void => undefined;
    const client = new undici.Client(origin, {
      ...options,
      connect: (to, callback) =>
        connect(to, (...result) => {
          const [error, socket] = result;
          // undici fails the next request for an error of another class, and throws where there is none.
          if (error === null) close = () => void socket.destroy(new undici.errors.InformationalError('unused'));
          callback(...result);
        }),
    });
    const end = (isComplete: boolean): void => {
      if (isComplete) idle = setTimeout(() => void close(), keepAliveMs).unref();
      else close();
    };
    const dispatch = client.dispatch.bind(client);
    return Object.assign(client, {
      dispatch(request: ConnectedRequest, handler: Dispatcher.DispatchHandler): boolean {
        clearTimeout(idle);
        request.connection.end = end;
        return dispatch(request, handler);
      },
    });
  };
}
