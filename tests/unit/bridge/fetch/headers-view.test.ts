import { describe, expect, test, vi } from 'vitest';
import { headersView } from '../../../../src/bridge/fetch/headers-view.js';

describe('the view of the headers of a Request', () => {
  const headers = new Headers({ Accept: 'application/json', 'X-A': '1' });
  const view = headersView(headers);

  test('has each header under its lower-case name, and no member of Headers or of objects', () => {
    expect([view['accept'], view['x-a']]).toEqual(['application/json', '1']);
    for (const name of ['missing', 'get', 'forEach', 'constructor', '__proto__', 'toString', 'no header', '']) {
      expect([name, view[name], name in view]).toEqual([name, undefined, false]);
    }
    expect(Object.getPrototypeOf(view)).toBeNull();
    expect((view as never)[Symbol.iterator]).toBeUndefined();
  });

  test('can be listed, copied and compared as a record', () => {
    expect(Object.entries(view)).toEqual([
      ['accept', 'application/json'],
      ['x-a', '1'],
    ]);
    expect({ ...view }).toEqual({ accept: 'application/json', 'x-a': '1' });
    const listed: string[] = [];
    for (const name in view) listed.push(name);
    expect(listed).toEqual(['accept', 'x-a']);
    expect(JSON.parse(JSON.stringify(view))).toEqual({ accept: 'application/json', 'x-a': '1' });
  });

  test('shows a header that middleware has set since', () => {
    headers.set('X-Late', '2');
    expect([view['x-late'], Object.keys(view)]).toEqual(['2', ['accept', 'x-a', 'x-late']]);
    headers.delete('X-Late');
    expect([view['x-late'], 'x-late' in view]).toEqual([undefined, false]);
  });

  test('cannot be written to', () => {
    expect(() => Object.assign(view, { accept: 'x' })).toThrow(TypeError);
    expect(headers.get('accept')).toBe('application/json');
  });

  test('lists nothing in order to look one header up', () => {
    const listing = (['forEach', 'keys', 'entries', 'values'] as const).map((name) => vi.spyOn(headers, name));
    expect(view['accept']).toBe('application/json');
    for (const spy of listing) expect(spy).not.toHaveBeenCalled();
  });
});
