/** What a kubeconfig leads to. */
export interface KubeconfigTarget {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

const NAME = 'kube-vitals';

/** A kubeconfig with one cluster, one user and one context, as YAML. */
export function kubeconfig({ server, ca, token }: KubeconfigTarget): string {
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
