import { describe, expect, it } from 'vitest';
import type { Representation, ResourceView } from '../../../../src/api/representation/contract.js';
import { createRepresentationMemory } from '../../../../src/api/representation/remembered.js';

const view = { apiVersion: 'events.example.com/v1' } as ResourceView;
const form = (): Representation => ({}) as Representation;

describe('the memory of representations', () => {
  it('finds the remembered choice for the same headers, present or absent', () => {
    const memory = createRepresentationMemory();
    const [none, some] = [form(), form()];
    memory.keep(undefined, view, 'object', none);
    memory.keep({ accept: 'application/yaml', 'accept-encoding': 'gzip' }, view, 'object', some);
    expect(memory.find({}, view, 'object')).toBe(none);
    expect(memory.find({ accept: 'application/yaml', 'accept-encoding': 'gzip' }, view, 'object')).toBe(some);
  });

  it.each([
    ['another Accept', { accept: 'application/yaml' }],
    ['another Accept-Encoding', { 'accept-encoding': 'gzip' }],
    ['a client that shows answers to somebody', { 'user-agent': 'curl/8.5.0' }],
    ['an Accept of several lines', { accept: ['application/json', 'application/yaml'] }],
  ])('distinguishes requests with another %s', (_what, headers) => {
    const memory = createRepresentationMemory();
    memory.keep({ 'user-agent': 'kubectl/v1.30' }, view, 'object', form());
    expect(memory.find(headers, view, 'object')).toBeUndefined();
  });

  it('distinguishes shapes and versions, but not clients that send the same', () => {
    const memory = createRepresentationMemory();
    const kept = form();
    memory.keep({ 'user-agent': 'kubectl/v1.30' }, view, 'object', kept);
    expect(memory.find({}, view, 'list')).toBeUndefined();
    expect(memory.find({}, { ...view }, 'object')).toBeUndefined();
    expect(memory.find({ 'user-agent': 'another/1' }, view, 'object')).toBe(kept);
  });

  it('keeps no long headers, none of several lines, and only the latest few', () => {
    const memory = createRepresentationMemory();
    const long = { accept: 'a'.repeat(513) };
    const listed = { accept: ['application/json', 'application/yaml'] };
    const agent = { 'user-agent': 'x'.repeat(513), accept: 'b' };
    for (const headers of [long, listed, agent]) {
      memory.keep(headers, view, 'object', form());
      expect(memory.find(headers, view, 'object')).toBeUndefined();
    }
    for (let i = 0; i < 17; i++) memory.keep({ accept: `type/${i}` }, view, 'object', form());
    expect(memory.find({ accept: 'type/0' }, view, 'object')).toBeUndefined();
    expect(memory.find({ accept: 'type/1' }, view, 'object')).toBeDefined();
    expect(memory.find({ accept: 'type/16' }, view, 'object')).toBeDefined();
  });
});
