import type { Event } from '../../model/event.js';

const DECIMAL = /^(0|[1-9]\d*)$/;

/**
 * Orders two resourceVersions: below 0 if the first is older, `undefined` if one is not a whole number. Kubernetes
 * declares those of one resource comparable since 1.35, and etcd's always were.
 */
export function compareRevisions(one: string, other: string): number | undefined {
  if (one === other) return 0;
  if (!DECIMAL.test(one) || !DECIMAL.test(other)) return undefined;
  return one.length - other.length || (one < other ? -1 : 1);
}

/** True where the first one is known to be older. */
export const isOlder = (one: string, other: string): boolean => (compareRevisions(one, other) ?? 0) < 0;

/** The revision of an event's last write; empty where a server leaves it out. */
export function revisionOf({ metadata }: Event): string {
  return metadata.resourceVersion ?? '';
}

export function keyOf({ metadata }: Event): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
