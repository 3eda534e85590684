import { jsonValue } from '../../json/json-value.js';
import { messageOf } from '../../model/error-message.js';
import type { Connection, WatchHandle, WatchListener, WatchResponse } from './connection.js';
import { DEADLINE_EXCEEDED, etcdFailure, UNAVAILABLE, type EtcdFailure } from './failure.js';
import { loadHttp, type OpenHttp } from './http-exchange.js';
import type { EtcdSettings } from './options.js';
import { loadJsonCodec, type RpcCodec, type Send } from './rpc-codec.js';

const UNKNOWN = 2;

/** Requests to one member that are under way at the same time; others wait. */
const MAX_CONNECTIONS = 128;

/** How much of an error in plain text, such as one of a proxy, is in the message. */
const MAX_TEXT = 200;

/** The failure in an error body of the gateway: `{"error", "code", "message"}`, or a text. */
function failureOf(status: number, body: unknown, plain: string): EtcdFailure {
  const { code, message, error } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = [message, error].find((part) => typeof part === 'string');
  return etcdFailure(
    typeof code === 'number' ? code : status >= 500 ? UNAVAILABLE : UNKNOWN,
    text ?? `HTTP status ${status}: ${plain.trim().slice(0, MAX_TEXT)}`,
    true,
  );
}

function readAs<T>(read: (message: unknown) => T, message: unknown): T {
  try {
    return read(message);
  } catch (error) {
    throw etcdFailure(UNAVAILABLE, messageOf(error), true);
  }
}

function createConnection(
  endpoint: string,
  openHttp: OpenHttp,
  codec: RpcCodec<unknown>,
  settings: EtcdSettings,
): Connection {
  const requests = openHttp(endpoint, settings, MAX_CONNECTIONS);
  // A watch holds its connection for as long as it lives: those must not keep requests waiting.
  const watches = openHttp(endpoint, settings, null);

  const late = new Error(`${endpoint} did not respond in time`);
  const headersOf = (token: string | undefined): Record<string, string> =>
    token === undefined ? {} : { authorization: token };

  const send: Send<unknown> = ({ path }, body, read, token) => {
    let cancel = (): void => undefined;
    const done = new Promise<ReturnType<typeof read>>((resolve, reject) => {
      let status = 0;
      let text = '';
      const exchange = requests.send(`/v3/${path}`, headersOf(token), body, {
        started: (code) => (status = code),
        data: (part) => (text += part),
        ended() {
          try {
            const response = jsonValue(text);
            if (status !== 200 || response === undefined) throw failureOf(status, response, text);
            resolve(readAs(read, response));
          } catch (failure) {
            reject(failure as EtcdFailure);
          }
        },
        failed: (error, sent) =>
          reject(etcdFailure(error === late ? DEADLINE_EXCEEDED : UNAVAILABLE, error.message, sent)),
      });
      // Ends its connection as well: members without a leader hold requests, and their sockets, for seconds.
      cancel = () => exchange.cancel(late);
    });
    return { done, cancel };
  };

  return {
    endpoint,
    ...codec.calls(send),
    watch(watch, token, listener: WatchListener): WatchHandle {
      const headers = { ...headersOf(token), 'grpc-metadata-hasleader': 'true' };
      let status = 0;
      let rest = '';
      const end = (failure: EtcdFailure): void => {
        listener.end(failure);
        exchange.cancel(failure);
      };
      const line = (text: string): void => {
        if (text === '') return;
        let received: WatchResponse;
        try {
          const message = jsonValue(text) as { readonly result?: unknown; readonly error?: unknown } | undefined;
          if (message?.result === undefined) throw failureOf(status, message?.error ?? message, text);
          received = readAs(codec.decodeWatch, message.result);
        } catch (failure) {
          end(failure as EtcdFailure);
          return;
        }
        listener.response(received);
      };
      const exchange = watches.send('/v3/watch', headers, codec.encodeWatch(watch), {
        started: (code) => (status = code),
        data(text) {
          const [first = '', ...others] = text.split('\n');
          rest += first;
          for (const next of others) {
            line(rest);
            rest = next;
          }
        },
        ended() {
          line(rest);
          end(etcdFailure(UNAVAILABLE, `${endpoint} ended the watch`, true));
        },
        failed: (error, sent) => listener.end(etcdFailure(UNAVAILABLE, error.message, sent)),
      });
      return { ...exchange, cancel: () => exchange.cancel(new Error('the watch was canceled')) };
    },
    close() {
      requests.close();
      watches.close();
    },
  };
}

export async function gatewayConnect(settings: EtcdSettings): Promise<readonly Connection[]> {
  const [openHttp, codec] = await Promise.all([loadHttp(), loadJsonCodec()]);
  return settings.endpoints.map((endpoint) => createConnection(endpoint, openHttp, codec, settings));
}
