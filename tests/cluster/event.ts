/** An event named `name`, as a caller sends it. */
export const eventOf = (name: string, namespace: string) => ({
  metadata: { name, namespace },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace, name: 'web-1' },
});
