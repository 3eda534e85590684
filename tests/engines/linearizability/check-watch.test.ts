import { describe, expect, it } from 'vitest';
import { checkWatch } from './check-watch.js';

const step = (revision: number, text = `{"at":${revision}}`) => ({ type: 'ADDED', key: 'a', revision, text }) as const;
const steps = [step(5), step(7), step(9), step(20)];
const span = { name: 'a watch', after: 5, upTo: 10 };

describe('checkWatch', () => {
  it('accepts a watch that delivered everything once', () => {
    expect(checkWatch([step(7), step(9)], steps, span)).toEqual({ missed: [], repeated: [], violations: [] });
  });

  it('rejects a missed change', () => {
    expect(checkWatch([step(7)], steps, span).missed).toHaveLength(1);
  });

  it('rejects a repeated change', () => {
    expect(checkWatch([step(7), step(9), step(7)], steps, span)).toMatchObject({ repeated: { length: 1 }, missed: [] });
  });

  it('rejects changes out of order', () => {
    expect(checkWatch([step(9), step(7)], steps, span).violations).toHaveLength(1);
  });

  it('rejects other bytes, another type and changes that never happened', () => {
    expect(checkWatch([step(7), step(9, '{}')], steps, span).violations).toHaveLength(1);
    expect(checkWatch([step(7), { ...step(9), type: 'DELETED' }], steps, span).violations).toHaveLength(1);
    expect(checkWatch([step(7), step(8), step(9)], steps, span).violations).toHaveLength(1);
  });
});
