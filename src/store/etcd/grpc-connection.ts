import type { Connection, WatchHandle, WatchListener, WatchResponse } from './connection.js';
import { messageOf } from '../../model/error-message.js';
import { storeError } from '../contract/errors.js';
import { DEADLINE_EXCEEDED, etcdFailure, UNAVAILABLE } from './failure.js';
import type { EtcdSettings } from './options.js';
import { loadProtobufCodec, type Send } from './rpc-codec.js';

type Grpc = typeof import('@grpc/grpc-js');
type GrpcMetadata = import('@grpc/grpc-js').Metadata;
type GrpcError = import('@grpc/grpc-js').ServiceError;

const SERVICES = '/etcdserverpb.';

async function load() {
  let grpc: Grpc;
  try {
    const module: Grpc & { readonly default?: Grpc } = await import('@grpc/grpc-js');
    grpc = module.default ?? module;
  } catch (cause) {
    throw storeError(
      'unavailable',
      "etcdStore: the package @grpc/grpc-js is not installed: run `npm install @grpc/grpc-js`, or set transport: 'gateway' " +
        `(${messageOf(cause)})`,
      { cause },
    );
  }
  const { Buffer } = await import('node:buffer');
  const { createSecureContext } = await import('node:tls');
  return { grpc, codec: await loadProtobufCodec(), Buffer, createSecureContext };
}

/**
 * Channel options. etcd closes connections that ping more often than every five seconds. A member that was moved to
 * another node has another address: its name is looked up again while it cannot be reached.
 */
const CHANNEL: Readonly<Record<string, string | number>> = {
  'grpc.primary_user_agent': 'kube-vitals',
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 3_000,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
};

function createConnection(
  endpoint: string,
  { grpc, codec, Buffer, createSecureContext }: Awaited<ReturnType<typeof load>>,
  { tls }: EtcdSettings,
): Connection {
  const { host, hostname, port, protocol } = new URL(endpoint);
  const pem = (value: string | Uint8Array | undefined): Buffer | null =>
    value === undefined ? null : Buffer.from(value as Uint8Array);
  const secure = () => {
    const [ca, key, cert] = [pem(tls?.ca), pem(tls?.key), pem(tls?.cert)];
    if (ca === null) return grpc.credentials.createSsl(null, key, cert);
    // As Go: a trusted certificate need not be that of a root authority.
    const context = { ca, allowPartialTrustChain: true, ...(key && { key }), ...(cert && { cert }) };
    return grpc.credentials.createFromSecureContext(createSecureContext(context));
  };
  const credentials = protocol === 'https:' ? secure() : grpc.credentials.createInsecure();
  const name = tls?.serverName;
  const client = new grpc.Client(`dns:${port === '' ? `${hostname}:2379` : host}`, credentials, {
    ...CHANNEL,
    ...(name !== undefined && { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name }),
  });

  const serialize = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const metadataOf = (token: string | undefined): GrpcMetadata => {
    const metadata = new grpc.Metadata();
    if (token !== undefined) metadata.set('token', token);
    return metadata;
  };
  /** Without a connection nothing of the call has left this process. */
  const isConnected = (): boolean => client.getChannel().getConnectivityState(false) === grpc.connectivityState.READY;

  const failureOf = ({ code, details }: GrpcError): Error => {
    const neverSent = /No connection established|Name resolution failed/.test(details);
    return etcdFailure(code, details.replace(/\. Resolution note: $/, ''), Number(code) !== UNAVAILABLE || !neverSent);
  };

  const send: Send<Uint8Array> = ({ method }, request, decode, token) => {
    let giveUp = (): void => undefined;
    const done = new Promise<ReturnType<typeof decode>>((resolve, reject) => {
      const path = SERVICES + method;
      const call = client.makeUnaryRequest(path, serialize, decode, request, metadataOf(token), (error, value) => {
        if (error) reject(failureOf(error));
        else resolve(value as ReturnType<typeof decode>);
      });
      giveUp = () => {
        reject(etcdFailure(DEADLINE_EXCEEDED, `${endpoint} did not respond in time`, isConnected()));
        call.cancel();
      };
    });
    return { done, cancel: () => giveUp() };
  };

  return {
    endpoint,
    ...codec.calls(send),
    watch(request, token, listener: WatchListener): WatchHandle {
      const metadata = metadataOf(token);
      // A member that lost its leader ends the stream instead of staying silent.
      metadata.set('hasleader', 'true');
      const call = client.makeBidiStreamRequest(`${SERVICES}Watch/Watch`, serialize, codec.decodeWatch, metadata);
      call.on('data', (response: WatchResponse) => listener.response(response));
      call.on('error', (error: GrpcError) => listener.end(failureOf(error)));
      call.on('end', () => listener.end(etcdFailure(UNAVAILABLE, `${endpoint} ended the watch`, true)));
      call.write(codec.encodeWatch(request));
      return { cancel: () => call.cancel(), pause: () => void call.pause(), resume: () => void call.resume() };
    },
    close: () => client.close(),
  };
}

export async function grpcConnect(settings: EtcdSettings): Promise<readonly Connection[]> {
  const loaded = await load();
  return settings.endpoints.map((endpoint) => createConnection(endpoint, loaded, settings));
}
