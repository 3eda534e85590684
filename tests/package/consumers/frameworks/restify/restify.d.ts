/** What the service uses of restify, whose own package has no types. */
declare module 'restify' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  type Handler = (
    req: IncomingMessage,
    res: ServerResponse & { sendRaw(body: string): void },
    next: (error?: unknown) => void,
  ) => unknown;

  export const plugins: { bodyParser(): Handler };
  export function createServer(): {
    readonly server: Server;
    pre(handler: Handler): void;
    use(handler: Handler): void;
    get(path: string, handler: Handler): void;
    listen(port: number, host: string): void;
  };
}
