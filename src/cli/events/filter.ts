import type { Event } from '../../client.js';
import { fieldText } from './field-text.js';

export interface ForObject {
  readonly kind: string;
  readonly name: string;
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  ...{ po: 'pod', svc: 'service', deploy: 'deployment', rs: 'replicaset', sts: 'statefulset', ds: 'daemonset' },
  ...{ cj: 'cronjob', no: 'node', ns: 'namespace', pvc: 'persistentvolumeclaim', pv: 'persistentvolume' },
  ...{ ing: 'ingress', cm: 'configmap', sa: 'serviceaccount', hpa: 'horizontalpodautoscaler' },
};

/** Reads `kind/name`; also a resource such as `pods`, or `deployments.apps`. @throws Error that names the fault */
export function readForObject(text: string): ForObject | undefined {
  if (text === '') return undefined;
  const match = /^([^/]+)\/([^/]+)$/.exec(text);
  if (match === null) throw new Error('must be KIND/NAME, such as pod/web-0');
  const [, kind = '', name = ''] = match;
  return { kind, name };
}

export function readTypes(text: string): readonly string[] {
  const types = text === '' ? [] : text.split(',');
  if (types.includes('')) throw new Error('must be types separated by commas, such as Warning');
  return types;
}

export interface EventFilter {
  /** The part of the selection that the server can make. */
  readonly fieldSelector: string | undefined;
  /** The rest: kinds may be resources or short names here, and types are case-insensitive. */
  readonly matches: (event: Event) => boolean;
}

export function filterOf(about: ForObject | undefined, types: readonly string[]): EventFilter {
  const wanted = new Set(types.map((type) => type.toLowerCase()));
  const kinds = about && kindsOf(about.kind);
  return {
    fieldSelector: about && `regarding.name=${about.name.replace(/[\\,=]/g, '\\$&')}`,
    matches: ({ type, regarding }) =>
      (wanted.size === 0 || wanted.has(fieldText(type).toLowerCase())) &&
      (kinds === undefined || (kinds.has(fieldText(regarding?.kind).toLowerCase()) && regarding?.name === about?.name)),
  };
}

/** The kinds that a word may mean. Without discovery, a plural stands for every singular that it can come from. */
function kindsOf(word: string): ReadonlySet<string> {
  const [plain = ''] = word.toLowerCase().split('.');
  const singulars = [plain.replace(/ies$/, 'y'), plain.replace(/es$/, ''), plain.replace(/s$/, '')];
  return new Set([plain, SHORT_NAMES[plain] ?? plain, ...singulars]);
}
