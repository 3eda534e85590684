import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { pathToFileURL } from 'node:url';

/** An example that runs. */
export interface Running {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly close: () => Promise<unknown>;
}

/** Listens on loopback; port 0 takes any that is free. Resolves to the address. */
export async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Starts an example when its file is the program: on `PORT`, else 8080. Prints lines to copy. Does nothing when the
 * file was imported.
 */
export async function runDirectly(file: string, start: (port: number) => Promise<Running>): Promise<void> {
  if (process.argv[1] === undefined || pathToFileURL(process.argv[1]).href !== file) return;
  const { url } = await start(Number(process.env['PORT'] ?? 8080));
  process.stdout.write(`Try:
  curl '${url}/readyz?verbose'
  curl -N -H 'Authorization: Bearer s3cret-of-the-examples' '${url}/apis/events.example.com/v1/events?watch=true'
  curl -H 'Content-Type: application/json' -d '{"item":"tea","amount":2}' '${url}/orders'   # and look at the watch
`);
}
