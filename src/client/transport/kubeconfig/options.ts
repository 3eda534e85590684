import type { OptionRules } from '../../../options/check-options.js';
import { aBoolean, aFunction, aNonEmptyString, aNumber } from '../../../options/rules.js';
import { connectionRules, type ConnectionSettings } from '../http/options.js';

/** Options of `kubeconfigTransport`. */
export interface KubeconfigTransportOptions extends ConnectionSettings {
  /** The file. Default: those of `$KUBECONFIG`, merged as kubectl does, else `~/.kube/config`. */
  readonly path?: string | undefined;
  /** The content of a kubeconfig instead of a file. */
  readonly text?: string | undefined;
  /** The context. Default: the current one. */
  readonly context?: string | undefined;
  /** Whether programs that provide credentials (`exec`) are run, otherwise refused. Default: true, as in kubectl. */
  readonly execPlugins?: boolean | undefined;
  /** How long such a program may run, in milliseconds. Default: 60,000. */
  readonly execTimeoutMs?: number | undefined;
  /**
   * Called with what such a program writes to its standard error, at most 64 KiB a run; it may be secret. Default:
   * none.
   */
  readonly onExecOutput?: ((text: string) => void) | undefined;
}

export const kubeconfigRules = (): OptionRules<KubeconfigTransportOptions> => ({
  ...connectionRules(),
  path: aNonEmptyString,
  text: aNonEmptyString,
  context: aNonEmptyString,
  execPlugins: aBoolean,
  execTimeoutMs: aNumber(1, 3_600_000),
  onExecOutput: aFunction,
});

/** Options of `defaultTransport`. */
export type DefaultTransportOptions = Omit<KubeconfigTransportOptions, 'path' | 'text'>;

/** Options of `inClusterTransport`. */
export interface InClusterTransportOptions extends ConnectionSettings {
  /**
   * Where the token, the authority's certificate and the namespace of the pod are. Default: where Kubernetes mounts
   * them.
   */
  readonly directory?: string | undefined;
}
