import { describe, expect, test } from 'vitest';
import { createReads } from '../../../../src/store/postgres/reads.js';
import type { Row, StoreParts } from '../../../../src/store/postgres/requests.js';

const STATEMENT = { name: 'n', text: 'SELECT revision' };

/** Returns the next revision for each read, and lifts to a thousand above the given one. */
function bench(...revisions: readonly number[]) {
  const answers = [...revisions];
  const sent: string[] = [];
  const lifted: number[] = [];
  const requests: StoreParts['requests'] = {
    async read({ name }, values): Promise<readonly Row[]> {
      sent.push(name);
      if (name === 's.lift') return [{ revision: String(Number(values[0]) + 1000) }];
      return [{ revision: String(answers.shift()), standby: 'false' }];
    },
    write: () => Promise.reject(new Error('not asked for')),
    isSilent: () => false,
    wrote: () => undefined,
    refusedWrite: () => undefined,
    silence: () => undefined,
    prepare: () => undefined,
  };
  const onLifted = (latest: number): void => void lifted.push(latest);
  return { reads: createReads({ requests, schema: 's', timeoutMs: 100 }, onLifted), requests, sent, lifted };
}

describe('reads that detect a database that went back in time', () => {
  test('keep the latest revision of all responses', async () => {
    const { reads, sent } = bench(5, 7, 7);
    for (let i = 0; i < 3; i++) await reads.read(STATEMENT, []);
    reads.saw(6);
    expect(reads.seen).toBe(7);
    reads.saw(9);
    expect(reads.seen).toBe(9);
    expect(sent).toEqual(['n', 'n', 'n']);
  });

  test('raise revisions if the counter is behind, and read again', async () => {
    const { reads, sent, lifted } = bench(50, 40, 1050);
    await reads.read(STATEMENT, []);
    expect(await reads.read(STATEMENT, [])).toEqual([{ revision: '1050', standby: 'false' }]);
    expect(sent).toEqual(['n', 'n', 's.lift', 'n']);
    expect(lifted).toEqual([1050]);
    expect(reads.seen).toBe(1050);
  });

  test('are not confused by a write that was faster than their response', async () => {
    const { reads, sent } = bench(10);
    const pending = reads.read(STATEMENT, []);
    reads.saw(11);
    await pending;
    expect(sent).toEqual(['n']);
  });

  test('are unavailable if the server stays behind', async () => {
    const { reads } = bench(50, 40, 41);
    await reads.read(STATEMENT, []);
    await expect(reads.read(STATEMENT, [])).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('refuse a standby before its revision counts', async () => {
    const { requests } = bench();
    const standby: StoreParts['requests'] = { ...requests, read: async () => [{ revision: '1', standby: 'true' }] };
    const reads = createReads({ requests: standby, schema: 's', timeoutMs: 100 }, () => undefined);
    reads.saw(50);
    await expect(reads.read(STATEMENT, [])).rejects.toMatchObject({ code: 'unavailable', message: /standby/ });
  });
});
