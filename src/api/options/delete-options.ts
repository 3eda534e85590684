import { invalidValue, notSupported, type FieldError } from '../status/field-error.js';
import { first, flag, integer, refuseOptions } from './query.js';
import type { Query } from '../../http/url.js';
import { dryRunErrors } from './write-options.js';

/** Options of a deletion (Kubernetes `meta/v1` DeleteOptions). */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly dryRun?: readonly string[] | undefined;
  readonly preconditions?:
    { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
}

/** Reads the query of a delete without a body; an empty precondition is none, as in Kubernetes. */
export function readDeleteQuery(query: Query): DeleteOptions {
  const uid = first(query, 'uid') || undefined;
  const resourceVersion = first(query, 'resourceVersion') || undefined;
  return {
    gracePeriodSeconds: integer(query, 'gracePeriodSeconds'),
    orphanDependents: flag(query, 'orphanDependents'),
    propagationPolicy: first(query, 'propagationPolicy'),
    dryRun: query.get('dryRun'),
    preconditions: uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion },
  };
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

export function checkDeleteOptions(options: DeleteOptions): void {
  const errors: FieldError[] = [];
  const policy = options.propagationPolicy;
  if (policy !== undefined && options.orphanDependents !== undefined) {
    errors.push(
      invalidValue('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  errors.push(...dryRunErrors(options.dryRun ?? []));
  refuseOptions('DeleteOptions', errors);
}
