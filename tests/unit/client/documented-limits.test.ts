import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEventsClient, httpTransport, isResponseError } from '../../../src/client.js';
import type { HttpTransportOptions } from '../../../src/client.js';
import { scriptedClient, event, failureOf, json } from './scripted-client.js';

/** The rows of `docs/limits.md` about the client that have no test beside their function. */

const ONCE = { retries: 0 };
const FIXED = 'content-type: application/json\r\ncontent-length: 2\r\n';

/** What a client gets from a server whose headers have so many bytes, without the `: ` and the line ends. */
async function headersOf(bytes: number, options: Partial<HttpTransportOptions>): Promise<Error> {
  const long = 'x'.repeat(bytes - FIXED.replace(/: |\r\n/g, '').length - 'x-long'.length);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${FIXED}x-long: ${long}\r\n\r\n{}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = httpTransport({ server: `http://127.0.0.1:${port}`, ...options });
  onTestFinished(async () => {
    await transport.close();
    server.close();
  });
  const client = createEventsClient({ transport, group: 'events.example.com', retry: ONCE });
  return failureOf(client.get({ namespace: 'default', name: 'a' }));
}

describe('the limit of the headers of a response', () => {
  it.each([
    ['16,384 bytes by default', {}, 16_384],
    ['what maxHeaderBytes says, if that is less', { maxHeaderBytes: 1_024 }, 1_024],
    ['what maxHeaderBytes says, if that is more', { maxHeaderBytes: 1_048_576 }, 1_048_576],
  ])('counts their names and values, and is %s', async (_what, options, limit) => {
    // The headers were read: only the body is at fault.
    expect(await headersOf(limit, options)).toMatchObject({
      message: expect.stringMatching(/^the response from http:\/\/127\.0\.0\.1:\d+ is not an event$/) as string,
    });
    const refused = await headersOf(limit + 1, options);
    expect(refused).toSatisfy(isResponseError);
    expect(refused.message).toMatch(/did not respond with HTTP: Headers Overflow Error$/);
  });

  it('is from 1,024 bytes to 1 MiB by option', () => {
    for (const maxHeaderBytes of [1_023, 1_048_577]) {
      expect(() => httpTransport({ server: 'http://127.0.0.1', maxHeaderBytes })).toThrow(
        'maxHeaderBytes must be a whole number from 1024 to 1048576',
      );
    }
  });
});

describe('the limit of the warnings of a response', () => {
  const warningsOf = async (sent: string | readonly string[]): Promise<readonly string[]> => {
    const warnings: string[] = [];
    const { client } = scriptedClient([json(201, event('a'), { warning: sent })], {
      onWarning: (text) => void warnings.push(text),
    });
    await client.create(event('a'));
    return warnings;
  };
  const texts = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `w${index}`);
  const headers = (count: number): readonly string[] => texts(count).map((text) => `299 - "${text}"`);

  it('is the first 100, in headers of their own or in one', async () => {
    expect(await warningsOf(headers(100))).toEqual(texts(100));
    expect(await warningsOf(headers(101))).toEqual(texts(100));
    expect(await warningsOf(headers(101).join(', '))).toEqual(texts(100));
  });
});
