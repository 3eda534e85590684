import { Buffer } from 'node:buffer';
import { readIfThere, writePrivateFile } from './private-file.js';

const NAME = 'kube-vitals';

/** `ca` is PEM. */
export function kubeconfig({ server, ca, token }: Readonly<Record<'server' | 'ca' | 'token', string>>): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `  - name: ${NAME}`,
    '    cluster:',
    `      server: ${JSON.stringify(server)}`,
    `      certificate-authority-data: ${Buffer.from(ca).toString('base64')}`,
    'users:',
    '  - name: admin',
    '    user:',
    `      token: ${JSON.stringify(token)}`,
    'contexts:',
    `  - name: ${NAME}`,
    '    context:',
    `      cluster: ${NAME}`,
    '      user: admin',
    '      namespace: default',
    `current-context: ${NAME}`,
    '',
  ].join('\n');
}

/** An older kubeconfig stays if it cannot be replaced, as on a full disk: the server does not need it. */
export async function storeKubeconfig(path: string, config: string, log: (line: string) => void): Promise<void> {
  const stored = await readIfThere(path);
  await writePrivateFile(path, config).catch((error: unknown) => {
    if (!stored) throw error;
    log(
      `${(error as Error).message}; it is left as an earlier start wrote it, and may name another port or certificate`,
    );
  });
}
