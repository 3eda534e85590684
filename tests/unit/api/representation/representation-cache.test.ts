import { describe, expect, it } from 'vitest';
import type { ResponseKind, Representation, ResourceView } from '../../../../src/api/representation/contract.js';
import { createRepresentationCache } from '../../../../src/api/representation/representation-cache.js';
import type { RequestHeaders } from '../../../../src/http/request.js';

const view = { apiVersion: 'events.example.com/v1' } as ResourceView;
const form = (): Representation => ({}) as Representation;

/** A memory with separate functions to remember and to look up: `find` remembers nothing. */
function createMemory() {
  const remembered = createRepresentationCache();
  return {
    keep: (headers: RequestHeaders | undefined, representation: Representation): Representation =>
      remembered(headers, view, 'object', () => representation),
    find(
      headers: RequestHeaders,
      of: ResourceView = view,
      responseKind: ResponseKind = 'object',
    ): Representation | undefined {
      const refusal = new Error('not remembered');
      try {
        return remembered(headers, of, responseKind, () => {
          throw refusal;
        });
      } catch (error) {
        expect(error).toBe(refusal);
        return undefined;
      }
    },
  };
}

describe('the cache of representations', () => {
  it('returns the cached choice for the same headers, present or absent', () => {
    const memory = createMemory();
    const [none, some] = [form(), form()];
    expect(memory.keep(undefined, none)).toBe(none);
    memory.keep({ accept: 'application/yaml', 'accept-encoding': 'gzip' }, some);
    expect(memory.find({})).toBe(none);
    expect(memory.find({ accept: 'application/yaml', 'accept-encoding': 'gzip' })).toBe(some);
  });

  it.each([
    ['another Accept', { accept: 'application/yaml' }],
    ['another Accept-Encoding', { 'accept-encoding': 'gzip' }],
    ['a client that shows responses to a person', { 'user-agent': 'curl/8.5.0' }],
    ['an Accept of several lines', { accept: ['application/json', 'application/yaml'] }],
  ])('distinguishes requests with %s', (_what, headers) => {
    const memory = createMemory();
    memory.keep({ 'user-agent': 'kubectl/v1.30' }, form());
    expect(memory.find(headers)).toBeUndefined();
  });

  it('distinguishes shapes and versions, but not clients that send the same', () => {
    const memory = createMemory();
    const kept = form();
    memory.keep({ 'user-agent': 'kubectl/v1.30' }, kept);
    expect(memory.find({}, view, 'list')).toBeUndefined();
    expect(memory.find({}, { ...view })).toBeUndefined();
    expect(memory.find({ 'user-agent': 'another/1' })).toBe(kept);
  });

  it('keeps no long headers, none of several lines, and only the latest few', () => {
    const memory = createMemory();
    const long = { accept: 'a'.repeat(513) };
    const listed = { accept: ['application/json', 'application/yaml'] };
    const agent = { 'user-agent': 'x'.repeat(513), accept: 'b' };
    for (const headers of [long, listed, agent]) {
      memory.keep(headers, form());
      expect(memory.find(headers)).toBeUndefined();
    }
    for (let i = 0; i < 17; i++) memory.keep({ accept: `type/${i}` }, form());
    expect(memory.find({ accept: 'type/0' })).toBeUndefined();
    expect(memory.find({ accept: 'type/1' })).toBeDefined();
    expect(memory.find({ accept: 'type/16' })).toBeDefined();
  });
});
