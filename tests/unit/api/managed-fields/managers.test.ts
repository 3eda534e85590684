import { describe, expect, it } from 'vitest';
import { managerOf } from '../../../../src/api/managed-fields/managers.js';

describe('managerOf', () => {
  it.each([
    ['boss', 'kubectl/v1.36', 'boss'],
    ['', 'kubectl/v1.36.0 (linux/amd64) kubernetes/abc', 'kubectl'],
    [undefined, 'plain', 'plain'],
    [undefined, 'with space/1', 'with space'],
    [undefined, 'a\u0007b\tc/1', 'abc'],
    [undefined, '/slash', 'unknown'],
    [undefined, '', 'unknown'],
    [undefined, undefined, 'unknown'],
    [undefined, 'a'.repeat(200), 'a'.repeat(128)],
    [undefined, `${'a'.repeat(127)}é/`, 'a'.repeat(127)],
    [undefined, `${Buffer.from('Zoë 日本').toString('latin1')}/1`, 'Zoë 日本'],
    [undefined, Buffer.from('日'.repeat(50)).toString('latin1'), '日'.repeat(42)],
  ])('for %j and %j is %j', (fieldManager, userAgent, manager) => {
    expect(managerOf(fieldManager, userAgent)).toBe(manager);
  });
});
