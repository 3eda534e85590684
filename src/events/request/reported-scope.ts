import type { RequestObservation } from '../../observe/observation.js';
import type { Scope } from './scope.js';

/** kube-apiserver's label `scope`. */
export function reportedScope(scope: Scope | undefined): RequestObservation['scope'] {
  if (scope?.routed !== true) return '';
  if (scope.name !== '' || scope.verb === 'create') return 'resource';
  return scope.namespace === '' ? 'cluster' : 'namespace';
}
