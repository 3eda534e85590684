/** The part of a socket that the bridge reads. */
export interface NodeSocket {
  /** The address of the client. */
  readonly remoteAddress?: string | undefined;
  /** True when the connection is closed. */
  readonly destroyed?: boolean | undefined;
  /** The server of `node:http` that accepted it. */
  readonly server?: object | null | undefined;
  /** Present on TLS sockets; true only when the client certificate was verified. */
  readonly authorized?: boolean | undefined;
  /** The certificate of the client, over TLS. */
  getPeerCertificate?(): unknown;
  /** Bytes handed to the socket so far, including those that still wait in it. */
  readonly bytesWritten?: number | undefined;
  /** How many bytes wait in memory to be sent. */
  readonly writableLength?: number | undefined;
  /** True on TLS sockets. */
  readonly encrypted?: boolean | undefined;
  /** True while so many bytes wait that writers should. */
  readonly writableNeedDrain?: boolean | undefined;
  /** Internal to Node; without it progress is measured less exactly. */
  readonly _handle?:
    | {
        /** How many bytes the system has not accepted yet. */
        readonly writeQueueSize?: number | undefined;
      }
    | null
    | undefined;
  /** False once this side has been ended. */
  readonly writable?: boolean | undefined;
  /** Closes the connection at once. */
  destroy(): unknown;
  /** Pauses reading. */
  pause?(): unknown;
  /** Resumes reading. */
  resume?(): unknown;
  /** Listens once. */
  once(event: string, listener: (...values: unknown[]) => void): unknown;
  /** Listens for events of the connection. */
  on?(event: string, listener: (...values: unknown[]) => void): unknown;
}
