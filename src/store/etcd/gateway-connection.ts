import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Connect, Connection, WatchHandle, WatchListener, WatchResponse } from './connection.js';
import { etcdFailure, type EtcdFailure } from './failure.js';
import { httpsOptions, type EtcdSettings } from './options.js';
import { loadJsonCodec, type RpcCodec, type Send } from './rpc-codec.js';

const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;
const UNKNOWN = 2;

interface Loaded {
  readonly http: typeof import('node:http');
  readonly https: typeof import('node:https');
  readonly codec: RpcCodec<unknown>;
  readonly concat: (chunks: readonly Uint8Array[]) => string;
}

async function load(): Promise<Loaded> {
  const [http, https, codec, { Buffer }] = await Promise.all([
    import('node:http'),
    import('node:https'),
    loadJsonCodec(),
    import('node:buffer'),
  ]);
  return { http, https, codec, concat: (chunks) => Buffer.concat(chunks).toString('utf8') };
}

/** The failure that a body of the gateway tells: `{"error", "code", "message"}`. */
function failureOf(status: number, body: unknown): EtcdFailure {
  const { code, message, error } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = [message, error].find((part) => typeof part === 'string');
  return etcdFailure(
    typeof code === 'number' ? code : status >= 500 ? UNAVAILABLE : UNKNOWN,
    text ?? `HTTP status ${status}`,
    true,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A request, and whether any of it may have left this process. */
interface Exchange {
  readonly request: ClientRequest;
  wasSent(): boolean;
}

function createConnection(endpoint: string, { http, https, codec, concat }: Loaded, { tls }: EtcdSettings): Connection {
  const url = new URL(endpoint);
  const secure = url.protocol === 'https:';
  const agentOptions = { keepAlive: true, maxSockets: 128 };
  const newAgent = (maxSockets: number): InstanceType<Loaded['http']['Agent']> =>
    secure
      ? new https.Agent({ ...agentOptions, ...httpsOptions(tls), maxSockets })
      : new http.Agent({ ...agentOptions, maxSockets });
  const agent = newAgent(agentOptions.maxSockets);
  // A watch holds its connection for as long as it lives: those must not keep requests waiting.
  const watchAgent = newAgent(Infinity);

  const post = (
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
    through: typeof agent,
  ): Exchange => {
    const text = new TextEncoder().encode(JSON.stringify(body));
    const options: RequestOptions = {
      method: 'POST',
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? 2379 : Number(url.port),
      path: `/v3/${path}`,
      agent: through,
      headers: {
        'content-type': 'application/json',
        'content-length': String(text.length),
        'user-agent': 'kube-vitals',
        ...headers,
      },
    };
    const request = secure ? https.request(options) : http.request(options);
    let sent = false;
    request.on('socket', (socket) => {
      const connected = (): void => {
        sent = true;
      };
      if (!socket.connecting) connected();
      else socket.once(secure ? 'secureConnect' : 'connect', connected);
    });
    request.end(text);
    return { request, wasSent: () => sent };
  };

  const headersOf = (token: string | undefined): Record<string, string> =>
    token === undefined ? {} : { authorization: token };

  const send: Send<unknown> = ({ path }, body, read, token) => {
    const { request, wasSent } = post(path, body, headersOf(token), agent);
    let givenUp = false;
    const done = new Promise<ReturnType<typeof read>>((resolve, reject) => {
      const fail = (error: Error): void =>
        reject(
          givenUp
            ? etcdFailure(DEADLINE_EXCEEDED, `${endpoint} did not answer in time`, wasSent())
            : etcdFailure(UNAVAILABLE, error.message, wasSent()),
        );
      request.on('error', fail);
      request.on('response', (response: IncomingMessage) => {
        const chunks: Uint8Array[] = [];
        response.on('data', (chunk: Uint8Array) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          const answer = parse(concat(chunks));
          if (status !== 200 || answer === undefined) reject(failureOf(status, answer));
          else {
            try {
              resolve(read(answer));
            } catch (error) {
              fail(error as Error);
            }
          }
        });
      });
    });
    return {
      done,
      // Destroyed, not only forgotten: members without a leader hold requests for seconds, and sockets with them.
      cancel() {
        givenUp = true;
        request.destroy(new Error('given up'));
      },
    };
  };

  return {
    endpoint,
    ...codec.calls(send),
    watch(watch, token, listener: WatchListener): WatchHandle {
      const headers = { ...headersOf(token), 'grpc-metadata-hasleader': 'true' };
      const { request, wasSent } = post('watch', codec.encodeWatch(watch), headers, watchAgent);
      let response: IncomingMessage | undefined;
      const end = (failure: EtcdFailure): void => {
        listener.end(failure);
        request.destroy();
      };
      const line = (text: string): void => {
        if (text === '') return;
        const message = parse(text) as { readonly result?: unknown; readonly error?: unknown } | undefined;
        if (message?.result === undefined) {
          end(failureOf(response?.statusCode ?? 0, message?.error ?? message));
          return;
        }
        let received: WatchResponse;
        try {
          received = codec.decodeWatch(message.result);
        } catch (error) {
          end(etcdFailure(UNAVAILABLE, (error as Error).message, true));
          return;
        }
        listener.response(received);
      };
      request.on('error', (error) => end(etcdFailure(UNAVAILABLE, error.message, wasSent())));
      request.on('response', (incoming: IncomingMessage) => {
        response = incoming;
        incoming.setEncoding('utf8');
        let parts: string[] = [];
        incoming.on('data', (chunk: string) => {
          const lines = chunk.split('\n');
          const rest = lines.pop() ?? '';
          for (const [index, text] of lines.entries()) {
            line(index === 0 ? [...parts, text].join('') : text);
            if (index === 0) parts = [];
          }
          if (rest !== '') parts.push(rest);
        });
        incoming.on('error', (error) => end(etcdFailure(UNAVAILABLE, error.message, true)));
        incoming.on('end', () => {
          line(parts.join(''));
          end(etcdFailure(UNAVAILABLE, `${endpoint} ended the watch`, true));
        });
      });
      return {
        cancel: () => void request.destroy(),
        pause: () => void response?.pause(),
        resume: () => void response?.resume(),
      };
    },
    close() {
      agent.destroy();
      watchAgent.destroy();
    },
  };
}

/** Over the JSON gateway that each etcd has beside gRPC, with nothing but `node:http`. */
export function gatewayConnect(settings: EtcdSettings): Connect {
  return async () => {
    const loaded = await load();
    return settings.endpoints.map((endpoint) => createConnection(endpoint, loaded, settings));
  };
}
