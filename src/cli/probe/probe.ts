import { request as requestPlain, type IncomingMessage } from 'node:http';
import type { ProcessContext } from '../command-line/command.js';
import { readCertificates, readGivenFile } from '../command-line/given-file.js';

export interface ProbeTask {
  readonly url: URL;
  readonly timeoutMs: number;
  readonly caFile: string | undefined;
  readonly tokenFile: string | undefined;
}

/** How much of a response is printed. Docker keeps the same amount. */
const MAX_OUTPUT_BYTES = 4_096;

/** Requests a URL once and prints the response. @returns the exit code: 0 for a healthy endpoint, else 1 */
export async function runProbe(
  { url, timeoutMs, caFile, tokenFile }: ProbeTask,
  context: ProcessContext,
): Promise<number> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const ca = caFile === undefined ? undefined : await readCertificates('--ca-file', caFile);
    const token = tokenFile === undefined ? undefined : (await readGivenFile('--token-file', tokenFile)).trim();
    if (token === '') throw new Error(`--token-file: ${tokenFile} contains no token`);
    const headers = {
      'user-agent': 'kube-probe/kube-vitals',
      accept: '*/*',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const response = await ask(url, headers, ca, signal);
    const status = response.statusCode ?? 0;
    const healthy = status >= 200 && status < 400;
    const body = await beginningOf(response, signal);
    (healthy ? context.stdout : context.stderr).write(`${healthy ? '' : `HTTP ${status}\n`}${body.trimEnd()}\n`);
    return healthy ? 0 : 1;
  } catch (error) {
    const { message } = signal.aborted ? new Error(`no response within ${timeoutMs} ms`) : (error as Error);
    // What OpenSSL says also has a thread and a line of its source.
    const text = message.replace(/^.*:SSL routines:[^:]*:([^:]*):[^]*/, 'TLS failed: $1').trimEnd();
    const { code } = error as NodeJS.ErrnoException;
    context.stderr.write(`error: ${url.href}: ${text || String(code)}\n`);
    return 1;
  }
}

/** Loads TLS only for https, because most of a probe's time is start-up. */
async function ask(
  url: URL,
  headers: Readonly<Record<string, string>>,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  const request = secure ? (await import('node:https')).request : requestPlain;
  // As in kubectl and curl, an intermediate or the server's own certificate can be trusted without its root.
  const tls = { ca, rejectUnauthorized: ca !== undefined, allowPartialTrustChain: true };
  return new Promise((resolve, reject) => {
    const asking = request(url, { headers, signal, agent: false, ...(secure && tls) });
    // After a status of 101 Node only closes the connection, because no upgrade was requested.
    const onClose = (): void => reject(new Error('the connection was closed without a response'));
    asking.on('response', resolve).on('error', reject).on('close', onClose).end();
  });
}

async function beginningOf(response: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = MAX_OUTPUT_BYTES;
  for await (const chunk of response) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.byteLength;
    if (left <= 0) break;
  }
  // A body that is delimited by the end of its connection also ends like this when the request is aborted.
  signal.throwIfAborted();
  return text;
}
