import { expect, it } from 'vitest';
import { occurrenceOf, type Occurrence } from '../../../../src/client/recorder/occurrence.js';
import { heapGrowth } from '../../../collect-garbage.js';

const MiB = 1_048_576;

it('an occurrence does not keep the long texts that its own were cut from', async () => {
  const settings = {
    ...{ apiVersion: 'example.com/v1', namespace: 'default', group: 'events.example.com' },
    ...{ reportingController: 'example.com/jobs', reportingInstance: 'jobs-0', regarding: {}, noteInKey: false },
  };
  const kept: Occurrence[] = [];
  const grown = await heapGrowth(() => {
    for (let job = 0; job < 20; job++) {
      const output = `output of job ${String(job).padStart(2)}`.repeat(MiB / 16);
      const regarding = { kind: 'Job', name: output.slice(5, 60) };
      kept.push(occurrenceOf({ regarding, reason: 'Failed', action: 'Run', note: output.slice(-500) }, settings));
    }
  });
  expect(kept).toHaveLength(20);
  expect(kept[0]?.event.note).toHaveLength(500);
  expect(grown).toBeLessThan(10 * MiB);
});
