import type { Event } from 'kube-vitals/client';

/** When an event happened last. */
export function lastTime({ series, deprecatedLastTimestamp, eventTime, metadata }: Event): string {
  return series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
}
