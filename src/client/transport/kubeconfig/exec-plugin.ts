import { isObject, member } from '../../../json/json-tree.js';
import { jsonValue } from '../../../json/json-value.js';
import type { Clock } from '../../../clock/clock.js';
import { connectionError, transportClosed } from '../../contract/errors.js';
import { bearer } from '../http/credentials.js';
import { isPem } from '../http/options.js';
import type { Source } from '../http/sources.js';
import { entriesOf, kubeconfigFault, textOf, textsOf, type Entry } from './read-values.js';
import { runPlugin, type PluginCommand } from './run-plugin.js';

interface ExecCredential {
  readonly authorization: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** In milliseconds since the epoch. */
  readonly expires: number;
}

/** Credentials that a program returns, kept until they expire or are refused. */
export interface ExecSource extends Pick<Source<ExecCredential>, 'read'> {
  /** Credentials that another request has renewed in the meantime are kept. */
  expire(refused: string | undefined): void;
  close(): void;
}

const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** How long credentials are used at least, as a program may return expired ones, and a failed one is not run. */
const MIN_AGE_MS = 1_000;

/** Bounds for credentials in YAML: the library takes minutes for a kilobyte of nested keys, and may end the process. */
const MAX_CHARACTERS = 131_072;
const MAX_TOKENS = 4_000;
const MAX_NESTED = 50;

/** Describes the cluster to the program, where the kubeconfig has `provideClusterInfo`. */
export type ClusterInfo = () => Promise<Readonly<Record<string, unknown>>>;

/** @throws Error for a configuration that no program can be run with */
export function createExecSource(
  exec: Entry,
  clusterInfo: ClusterInfo | undefined,
  { clock, ...settings }: Pick<PluginCommand, 'timeoutMs' | 'onOutput'> & { readonly clock: Clock },
): ExecSource {
  const apiVersion = textOf(exec, 'apiVersion') ?? '';
  if (!VERSIONS.includes(apiVersion)) {
    throw kubeconfigFault(`${exec.what}: apiVersion must be ${VERSIONS.join(' or ')}`);
  }
  if (textOf(exec, 'interactiveMode') === 'Always') {
    throw kubeconfigFault(`${exec.what}: the program needs a terminal (interactiveMode: Always), and there is none`);
  }
  const command = textOf(exec, 'command');
  if (command === undefined) throw kubeconfigFault(`${exec.what}: command is missing`);
  const program = { args: textsOf(exec, 'args'), installHint: textOf(exec, 'installHint'), ...settings };
  const variables = Object.fromEntries(
    entriesOf(exec, 'env').map((entry) => [textOf(entry, 'name') ?? '', textOf(entry, 'value') ?? '']),
  );
  const closed = new AbortController();
  let known: (ExecCredential & { readonly at: number }) | undefined;
  let failed: { readonly error: Error; readonly at: number } | undefined;
  let running: Promise<ExecCredential> | undefined;

  const run = async (): Promise<ExecCredential> => {
    try {
      const cluster = await clusterInfo?.();
      const spec = { interactive: false, ...(cluster && { cluster }) };
      const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
      const env = { ...variables, KUBERNETES_EXEC_INFO: info };
      const output = await runPlugin({ ...program, command: await inFolder(command, exec.folder), env }, closed.signal);
      known = { ...credentialOf(await parsed(output), apiVersion, exec.what), at: clock.monotonic() };
      return known;
    } catch (error) {
      failed = { error: connectionError((error as Error).message, false, error), at: clock.monotonic() };
      throw failed.error;
    } finally {
      running = undefined;
    }
  };

  const isNew = ({ at }: { readonly at: number }): boolean => clock.monotonic() - at < MIN_AGE_MS;

  return {
    read() {
      if (known !== undefined && (clock.now() / 1000 < known.expires || isNew(known))) return Promise.resolve(known);
      if (failed !== undefined && isNew(failed)) return Promise.reject(failed.error);
      return (running ??= run());
    },
    expire(refused) {
      if (known === undefined || known.authorization !== refused) return;
      if (refused === undefined && isNew(known)) return;
      known = undefined;
    },
    close: () => closed.abort(transportClosed()),
  };
}

/** A path is relative to the kubeconfig; a name alone is looked up by the system. */
async function inFolder(command: string, folder: string | undefined): Promise<string> {
  if (folder === undefined || !/[\\/]/.test(command)) return command;
  const { isAbsolute, join } = await import('node:path');
  return isAbsolute(command) ? command : join(folder, command);
}

/** JSON, or YAML, which client-go reads as well. Undefined for any other text: the error would repeat it. */
async function parsed(output: string): Promise<unknown> {
  const value = jsonValue(output);
  if (value !== undefined || output.length > MAX_CHARACTERS) return value;
  const { Lexer, parse } = await import('yaml');
  let tokens = 0;
  let nested = 0;
  for (const token of new Lexer().lex(output)) {
    if (token === '{' || token === '[' || token === '?') nested += 1;
    if (++tokens > MAX_TOKENS || nested > MAX_NESTED) return undefined;
  }
  try {
    // Equal keys are allowed as in client-go; to look for them would take minutes for what is no credential.
    return parse(output, { logLevel: 'silent', uniqueKeys: false });
  } catch {
    return undefined;
  }
}

function credentialOf(credential: unknown, apiVersion: string, what: string): ExecCredential {
  const fault = (message: string): Error => kubeconfigFault(`${what}: the program ${message}`);
  if (!isObject(credential) || credential.kind !== 'ExecCredential' || !isObject(credential.status)) {
    throw fault('wrote no ExecCredential with a status');
  }
  if (credential.apiVersion !== apiVersion) throw fault(`wrote another apiVersion than ${apiVersion}`);
  const { status } = credential;
  const text = (name: string): string | undefined => {
    const value = member(status, name) ?? undefined;
    if (value !== undefined && typeof value !== 'string') throw fault(`wrote a ${name} that is not a string`);
    return value === '' ? undefined : value;
  };
  const [token, cert, key] = [text('token'), text('clientCertificateData'), text('clientKeyData')];
  if (token === undefined && cert === undefined) throw fault('wrote neither a token nor a client certificate');
  if ((cert === undefined) !== (key === undefined))
    throw fault('wrote a client certificate or a key without the other');
  if (cert !== undefined && !(isPem(cert) && isPem(key)))
    throw fault('wrote a client certificate or a key that is not in PEM');
  const expiration = text('expirationTimestamp');
  const expires = expiration === undefined ? Infinity : Date.parse(expiration);
  if (Number.isNaN(expires)) throw fault('wrote an expirationTimestamp that is not a time');
  return { authorization: token === undefined ? undefined : bearer(token.trim()), cert, key, expires };
}
