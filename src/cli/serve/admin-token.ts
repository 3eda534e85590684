import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readIfThere, writePrivateFile } from './private-file.js';

/**
 * The admin token in the data directory; made on first start, the same ever after. A file that is
 * empty or all zero bytes, as a power failure may leave it, is replaced.
 */
export async function adminToken(dataDir: string): Promise<string> {
  const path = join(dataDir, 'admin-token');
  const content = (await readIfThere(path))?.replace(/^\0+$/, '');
  if (content) {
    const stored = content.trim();
    if (/^[\x21-\x7e]{16,}$/.test(stored)) return stored;
    throw new Error(`${path} holds no usable token (16 or more printable characters); delete it and a new one is made`);
  }
  const token = randomBytes(32).toString('base64url');
  await writePrivateFile(path, `${token}\n`);
  return token;
}
