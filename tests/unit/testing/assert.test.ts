import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { assertEqual, assertRejects } from '../../../src/testing/assert.js';
import { sampleEvent } from '../../../src/testing/sample-event.js';

const large = { key: { name: 'a' }, event: sampleEvent({ name: 'a', namespace: 'default', note: 'x'.repeat(10_000) }) };

describe('a failure of the store suite', () => {
  it('shows bytes as shortened text, at any depth and of any kind', () => {
    const bytes = new TextEncoder().encode(`{"note":"${'x'.repeat(10_000)}"}`);
    for (const value of [bytes, Buffer.from(bytes), { bytes }, [{ bytes: Buffer.from(bytes) }]]) {
      const message = messageOf(() => assertEqual(value, 1, 'the record'));
      expect(message).toMatch(/bytes \{\\"note\\":\\"xxx.*… \(10011 characters\)/);
      expect(message.length).toBeLessThan(500);
    }
  });

  it('does not depend on the realm of the bytes', () => {
    const foreign = runInNewContext('Uint8Array.of(97, 98)') as Uint8Array;
    assertEqual({ bytes: Buffer.from('ab') }, { bytes: foreign }, 'the record');
    assertEqual({ bytes: foreign }, { bytes: Buffer.from('ab') }, 'the record');
    expect(messageOf(() => assertEqual(foreign, 1, 'it'))).toBe('it: expected 1, got "bytes ab"');
  });

  it('is a line of at most some thousand characters, whatever is compared', async () => {
    const records = Array.from({ length: 100 }, () => large);
    expect(messageOf(() => assertEqual(records, [], 'the page')).length).toBeLessThan(1_000);
    const error = await assertRejects(assertRejects(Promise.resolve(large), 'this should fail'), 'it should');
    expect((error as Error).message.length).toBeLessThan(1_000);
  });

  it('shows small values as they are', () => {
    expect(messageOf(() => assertEqual({ a: 1 }, [undefined, 'b'], 'it'))).toBe('it: expected [null,"b"], got {"a":1}');
    expect(messageOf(() => assertEqual(undefined, 1n < 2n, 'it'))).toBe('it: expected true, got undefined');
  });
});

function messageOf(run: () => void): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}
