import { validateObjectMetaCreate } from '../../api/validation/object-meta.js';
import { invalidValue, required, type FieldError } from '../../api/status/field-error.js';
import { shorten } from '../../json/go-print.js';
import type { Event, EventSeries } from '../../model/event.js';
import type { EventVersion } from '../versions/version.js';
import { baseErrors } from './base-rules.js';

/**
 * Everything a new event must satisfy, in the order Kubernetes reports it: the rules both versions share, then for the
 * strict ones metadata, series, time, type and the deprecated fields (specification 2.1: "for new Events").
 */
export function createErrors(event: Event, version: EventVersion, types: ReadonlySet<string>): FieldError[] {
  const errors = baseErrors(event, version);
  if (version.strict) errors.push(...strictErrors(event, version, types));
  // The strict rules of metadata are the laxer ones and more, but for prefixes of names.
  if (errors.length > 0 || (version.strict && !event.metadata.generateName)) return errors;
  return validateObjectMetaCreate(event.metadata, {
    requireNamespace: true,
    nameRule: 'path-segment',
    strictFinalizers: false,
  });
}

function strictErrors(event: Event, version: EventVersion, types: ReadonlySet<string>): FieldError[] {
  const errors = validateObjectMetaCreate(event.metadata, {
    requireNamespace: true,
    nameRule: 'subdomain',
    strictFinalizers: true,
  });
  if (event.series) errors.push(...seriesErrors(event.series));
  if (!event.eventTime) errors.push(required('eventTime'));
  if (!types.has(event.type ?? '')) {
    errors.push(invalidValue('type', '', `has invalid value: ${shorten(event.type ?? '')}`));
  }
  const unset = (field: string): void => {
    errors.push(invalidValue(version.fieldName(field), '', 'needs to be unset'));
  };
  if (event.deprecatedFirstTimestamp) unset('deprecatedFirstTimestamp');
  if (event.deprecatedLastTimestamp) unset('deprecatedLastTimestamp');
  if (event.deprecatedCount) unset('deprecatedCount');
  if (event.deprecatedSource?.component || event.deprecatedSource?.host) unset('deprecatedSource');
  return errors;
}

/** A series stands for at least two occurrences and says when the last one was. */
export function seriesErrors(series: EventSeries): FieldError[] {
  const errors: FieldError[] = [];
  if (series.count < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
  if (!series.lastObservedTime) errors.push(required('series.lastObservedTime'));
  return errors;
}
