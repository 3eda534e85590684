import type { Event } from '../../src/index.js';

/** An Event of the group, as one writes a manifest by hand. */
export function manifest(group: string, name: string, { metadata, ...fields }: Partial<Event> = {}): Event {
  return {
    apiVersion: `${group}/v1`,
    kind: 'Event',
    metadata: { name, namespace: 'default', ...metadata },
    eventTime: '2024-01-02T03:04:05.123456Z',
    action: 'Pulling',
    reason: 'Pulled',
    note: 'image pulled',
    type: 'Normal',
    reportingController: 'example.com/kubelet',
    reportingInstance: 'node-1',
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web' },
    ...fields,
  };
}

/** The manifest as text; JSON is valid YAML. */
export function manifestText(group: string, name: string, more?: Partial<Event>): string {
  return JSON.stringify(manifest(group, name, more));
}

/** A series: only this field and the metadata of a stored Event may change. */
export function series(count: number): NonNullable<Event['series']> {
  return { count, lastObservedTime: '2024-01-02T04:04:05.123456Z' };
}
