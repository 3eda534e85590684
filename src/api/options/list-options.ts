import { goQuote, shorten } from '../../json/go-print.js';
import { badRequest } from '../status/failures.js';
import { forbiddenField, notSupported, type FieldError } from '../status/field-error.js';
import { first, flag, integer, refuseOptions, uintError } from './query.js';
import type { Query } from '../../http/url.js';

/** Options of list, watch and deletecollection (Kubernetes `meta/v1` ListOptions). */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** False without `watch=true`, also for an old `/watch/` path. */
  readonly allowWatchBookmarks: boolean;
  /** Empty: not given. Not checked: faults of selectors and continue tokens come first. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0: not given. */
  readonly timeoutSeconds: number;
  /** 0 or negative: no limit. */
  readonly limit: number;
  readonly continue: string;
  /** `newest-first`, or empty: by namespace and name. An extension: Kubernetes has no such parameter. */
  readonly order: string;
  readonly sendInitialEvents: boolean | undefined;
}

/** @param legacyWatch an old `/watch/` path: checked like a list @throws StatusFailure 400 or 422 */
export function readListOptions(query: Query, legacyWatch = false): ListOptions {
  const watch = flag(query, 'watch') ?? false;
  const given: ListOptions = {
    labelSelector: first(query, 'labelSelector') ?? '',
    fieldSelector: first(query, 'fieldSelector') ?? '',
    allowWatchBookmarks: watch && flag(query, 'allowWatchBookmarks') === true,
    resourceVersion: first(query, 'resourceVersion') ?? '',
    resourceVersionMatch: first(query, 'resourceVersionMatch') ?? '',
    timeoutSeconds: integer(query, 'timeoutSeconds') ?? 0,
    limit: integer(query, 'limit') ?? 0,
    continue: first(query, 'continue') ?? '',
    order: first(query, 'order') ?? '',
    sendInitialEvents: flag(query, 'sendInitialEvents'),
  };
  const options = watch ? withDefaultStart(given) : given;
  refuseOptions('ListOptions', watch ? watchErrors(options) : listErrors(options));
  return legacyWatch ? withDefaultStart(options) : options;
}

/** A watch without a resourceVersion begins with all existing objects. */
function withDefaultStart(options: ListOptions): ListOptions {
  if (options.sendInitialEvents !== undefined || options.resourceVersionMatch !== '') return options;
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

/** 400 for a resourceVersion that is not a number. In a watch nothing precedes the text. */
export function requireResourceVersion(resourceVersion: string, before = 'invalid resource version: '): void {
  const wrong = resourceVersion ? uintError(resourceVersion) : undefined;
  if (!wrong) return;
  throw badRequest(`${before}resourceVersion: Invalid value: ${goQuote(shorten(resourceVersion))}: ${wrong}`);
}

export const NEWEST_FIRST = 'newest-first';

const MATCH = 'resourceVersionMatch';
const WITH_CONTINUE = forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided');

function listErrors({ resourceVersion, resourceVersionMatch: match, ...options }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continue !== '') errors.push(WITH_CONTINUE);
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (options.order !== '' && options.order !== NEWEST_FIRST) {
    errors.push(notSupported('order', options.order, [NEWEST_FIRST, '']));
  }
  return errors;
}

function watchErrors({ resourceVersionMatch: match, sendInitialEvents, ...options }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (why: string): void => void errors.push(forbiddenField(MATCH, why));
  if (options.order !== '') errors.push(forbiddenField('order', 'order is forbidden for watch'));
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    forbid('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (match === '') return errors;
  if (sendInitialEvents === undefined) {
    forbid('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  }
  if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
  if (options.continue !== '') errors.push(WITH_CONTINUE);
  return errors;
}
