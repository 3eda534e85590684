/** Where the events of these tests are. */
export const PATH = '/apis/events.example.com/v1/namespaces/default/events';

/** An event that is valid, and as large as its annotation. */
export const event = (name: string, annotation = ''): object => ({
  metadata: { name, ...(annotation && { annotations: { annotation } }) },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
});
