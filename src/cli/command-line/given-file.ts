import { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';

/** Some 50,000 tokens or 20,000 policies. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/**
 * Reads a file that a flag names, at most one byte beyond the limit: a pipe or device has no size to check before.
 *
 * @throws Error that names the flag and the file
 */
export async function readGivenFile(flag: string, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    // Without `node:stream/consumers`, which a probe would have to load.
    for await (const chunk of createReadStream(path, { end: MAX_FILE_BYTES })) chunks.push(chunk as Buffer);
  } catch (error) {
    // The code is shorter than Node's message, which does not always contain the path.
    throw new Error(`${flag}: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  const content = Buffer.concat(chunks);
  if (content.length > MAX_FILE_BYTES) throw new Error(`${flag}: ${path} is larger than ${MAX_FILE_BYTES} bytes`);
  return content.toString('utf8');
}

/** Without a certificate in PEM, Node trusts nobody and blames the server. @throws Error that names flag and file */
export async function readCertificates(flag: string, path: string): Promise<string> {
  const text = await readGivenFile(flag, path);
  if (text.includes('-----BEGIN ')) return text;
  throw new Error(`${flag}: ${path} contains no certificate in PEM`);
}
