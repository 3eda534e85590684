import { describe, expect, it } from 'vitest';
import { eventTable } from '../../../../src/events/resource/table.js';
import { coreName } from '../../../../src/events/versions/core-v1.js';

const eventsV1Table = eventTable((stored) => stored);
const coreV1Table = eventTable(coreName);

const now = Date.parse('2024-03-05T06:10:00Z') * 1000;

const event = {
  metadata: { name: 'a' },
  eventTime: '2024-03-05T06:07:00.000000Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  reason: 'Tested',
  regarding: { kind: 'Pod', name: 'pod-a', fieldPath: 'spec.containers{web}' },
  note: '  note of a\n',
  type: 'Normal',
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
};

const cells = (more: object = {}): readonly (string | number)[] => eventsV1Table.cells({ ...event, ...more }, now);

describe('the columns', () => {
  it('are ten, each with the same five keys, and five of them are for wide output only', () => {
    const names = eventsV1Table.columns.map(({ name }) => name);
    expect(names).toEqual([
      'Last Seen',
      'Type',
      'Reason',
      'Object',
      'Subobject',
      'Source',
      'Message',
      'First Seen',
      'Count',
      'Name',
    ]);
    for (const column of eventsV1Table.columns) {
      expect(Object.keys(column)).toEqual(['name', 'type', 'format', 'description', 'priority']);
      expect(column.type).toBe('string');
      expect(column.format).toBe(column.name === 'Name' ? 'name' : '');
      expect(column.description).not.toBe('');
    }
    expect(eventsV1Table.columns.map(({ priority }) => priority)).toEqual([0, 0, 0, 0, 1, 1, 0, 1, 1, 1]);
  });
});

describe('the cells', () => {
  it('of an object without fields are empty', () => {
    for (const empty of [{}, { metadata: null, regarding: null, series: null, deprecatedSource: null, note: 1 }]) {
      const shown = eventsV1Table.cells(empty, now);
      expect([shown[1], shown[2], shown[3], shown[4], shown[5], shown[6], shown[8], shown[9]]).toEqual([
        '',
        '',
        '',
        '',
        '',
        '',
        1,
        '',
      ]);
    }
  });

  it('show a single event', () => {
    expect(cells()).toEqual([
      '3m',
      'Normal',
      'Tested',
      'pod/pod-a',
      'spec.containers{web}',
      'example.com/tester, tester-0',
      'note of a',
      '3m',
      1,
      'a',
    ]);
  });

  it('prefer the older timestamps, and for the last one the series', () => {
    const older = {
      deprecatedFirstTimestamp: '2024-03-05T06:00:00Z',
      deprecatedLastTimestamp: '2024-03-05T06:09:00Z',
      deprecatedCount: 7,
    };
    expect([cells(older)[0], cells(older)[7], cells(older)[8]]).toEqual(['60s', '10m', 7]);
    const series = { ...older, series: { count: 3, lastObservedTime: '2024-03-05T06:09:50.000000Z' } };
    expect([cells(series)[0], cells(series)[7], cells(series)[8]]).toEqual(['10s', '10m', 3]);
    expect(cells({ deprecatedFirstTimestamp: '2024-03-05T06:00:00Z' })[0]).toBe('10m');
  });

  it('show a count of 0 as 1, but not in a series', () => {
    expect(cells({ deprecatedCount: 0 })[8]).toBe(1);
    expect(cells({ series: { count: 0, lastObservedTime: null } })[8]).toBe(0);
    expect(cells({ series: { count: 0, lastObservedTime: null } })[0]).toBe('<unknown>');
  });

  it('name the source by the fields that are set', () => {
    expect(cells({ deprecatedSource: { component: 'kubelet', host: 'n1' } })[5]).toBe('kubelet, n1');
    expect(cells({ deprecatedSource: { component: 'kubelet' } })[5]).toBe('kubelet, tester-0');
    expect(cells({ reportingController: '', reportingInstance: '' })[5]).toBe('');
    expect(cells({ reportingController: '', reportingInstance: 'only-host' })[5]).toBe(', only-host');
    expect(cells({ reportingInstance: '' })[5]).toBe('example.com/tester');
  });

  it('name the object by its kind alone if it has no name', () => {
    expect(cells({ regarding: { kind: 'Node' } })[3]).toBe('node');
  });

  it('are empty for the event of a bookmark', () => {
    const empty = { metadata: { resourceVersion: '7' }, eventTime: null, regarding: {}, deprecatedSource: {} };
    expect(eventsV1Table.cells(empty, now)).toEqual(['<unknown>', '', '', '', '', '', '', '<unknown>', 1, '']);
  });

  it('use the names of core/v1 there', () => {
    const core = {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod', name: 'pod-a' },
      reason: 'Tested',
      message: 'message of a',
      source: { component: 'tester', host: 'node-1' },
      firstTimestamp: '2024-03-05T06:07:00Z',
      lastTimestamp: '2024-03-05T06:08:00Z',
      count: 3,
      type: 'Normal',
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    };
    expect(coreV1Table.cells(core, now)).toEqual([
      '2m',
      'Normal',
      'Tested',
      'pod/pod-a',
      '',
      'tester, node-1',
      'message of a',
      '3m',
      3,
      'a',
    ]);
  });
});
