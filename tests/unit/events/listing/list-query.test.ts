import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attributes } from '../../../../src/auth/contract.js';
import { pathSegmentNameErrors } from '../../../../src/api/validation/names.js';
import type { VerbCall } from '../../../../src/events/request/call.js';
import { readListOptions } from '../../../../src/api/options/list-options.js';
import { positionBeforeName, readSelection } from '../../../../src/events/listing/list-query.js';
import { bench, path, settled, verbBench } from '../bench.js';

const terms = (count: number): string => Array.from({ length: count }, (_, index) => `type!=v${index}`).join(',');
const keys = (count: number): string => Array.from({ length: count }, (_, index) => `!k${index}`).join(',');

describe('maxSelectorTerms', () => {
  test.each([
    ['labelSelector', keys],
    ['labelSelector', (count: number) => `app in (${keys(count).replaceAll('!', '')})`],
    ['fieldSelector', terms],
  ])('limits the terms of a %s', async (parameter, make) => {
    const targets = (count: number): string[] => {
      const query = `${parameter}=${encodeURIComponent(make(count))}`;
      return [`GET ${path()}?${query}`, `GET ${path()}?watch=1&timeoutSeconds=1&${query}`, `DELETE ${path()}?${query}`];
    };
    for (const [maxSelectorTerms, most] of [
      [undefined, 512],
      [10, 10],
      [1_000, 1_000],
    ] as const) {
      const { ask, json, create } = bench({ maxSelectorTerms });
      await create('a');
      const message = `${parameter} has too many terms: may not be more than ${most}`;
      for (const target of targets(most + 1)) {
        expect(await json(target)).toMatchObject({ status: 400, json: { message } });
      }
      for (const target of targets(most)) expect((await ask(target)).status).toBe(200);
    }
  });

  test('does not hide the name in a long selector from the authorizer', async () => {
    const asked: Attributes[] = [];
    const { ask } = bench({
      maxSelectorTerms: 1_000,
      authorize: (_, attributes) => {
        asked.push(attributes);
        return { allowed: true };
      },
    });
    await ask(`GET ${path()}?fieldSelector=${encodeURIComponent(`${terms(600)},metadata.name=a`)}`);
    expect(asked).toMatchObject([{ verb: 'list', name: 'a' }]);
  });
});

describe('a field selector on the name of a watch that names one event', () => {
  const watched = '/apis/events.example.com/v1/watch/namespaces/default/events/a';
  const selected = (selector: string): string =>
    `GET ${watched}?timeoutSeconds=-1&fieldSelector=${encodeURIComponent(selector)}`;

  test.each(['metadata.name=b', 'type=Normal,metadata.name=b', 'metadata.name==b', 'metadata.name!=b', 'type=Normal'])(
    'is refused if it does not select this name: %s',
    async (selector) => {
      const { json } = bench();
      expect(await json(selected(selector))).toMatchObject({
        status: 400,
        json: { reason: 'BadRequest', message: "fieldSelector metadata.name doesn't match requested name" },
      });
    },
  );

  test.each(['metadata.name=a', 'type=Normal,metadata.name=a', ','])('is applied otherwise: %s', async (selector) => {
    const { ask } = bench();
    expect((await ask(selected(selector))).status).toBe(200);
  });

  test('has each of its characters in the selector, also those that separate terms', () => {
    const call = verbBench().call(`GET ${path('/a,b=c\\d')}?watch=1`);
    const { equalities } = readSelection(call, readListOptions(call.query));
    expect(equalities).toEqual([{ field: 'metadata.name', value: 'a,b=c\\d' }]);
  });

  test('does not widen the watch', async () => {
    const { create, ask, clock } = bench();
    await create('b', { type: 'Normal' });
    await create('a', { type: 'Warning' });
    const response = await ask(`GET ${watched}?timeoutSeconds=5&fieldSelector=type%3DNormal,metadata.name%3Da`);
    const text = response.text();
    await settled();
    clock.advance(5_000);
    expect(await text).toBe('');
  });
});

describe('the position before the name in a field selector', () => {
  const label = /^[a-z0-9]([-a-z0-9]{0,3}[a-z0-9])?$/;
  const named = fc.array(fc.stringMatching(label), { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
  /** Names of core/v1: any segment of a path, of at most 253 bytes. */
  const any = fc
    .oneof(named, fc.string({ unit: 'binary', maxLength: 5 }), fc.constant('\u{10ffff}'.repeat(63)))
    .filter((name) => pathSegmentNameErrors(name).length === 0);
  const before = (value: string, namespace = 'default'): string | undefined =>
    positionBeforeName({ scope: { namespace } } as VerbCall, {
      ...{ empty: false, onlyEqualities: true, matches: () => true },
      equalities: [{ field: 'metadata.name', value }],
    })?.name;
  const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

  test('is below the name, and no other name that an event may have lies between the two', () => {
    fc.assert(
      fc.property(named, any, (name, other) => {
        const position = before(name) ?? '';
        expect(compare(position, name)).toBe(-1);
        const start = name.slice(0, -1);
        const previous = String.fromCharCode(name.charCodeAt(name.length - 1) - 1);
        for (const near of [other, start, start + other, start + previous + other]) {
          if (Buffer.byteLength(near) <= 253 && compare(near, name) < 0) expect(compare(near, position)).toBe(-1);
        }
      }),
    );
  });

  test.each(['', 'A', 'a/b', '-', 'a.', 'é', 'a'.repeat(254)])(
    'does not exist if the name is not a subdomain: %j',
    (value) => {
      expect(before(value)).toBeUndefined();
    },
  );

  test('does not exist in lists of all namespaces', () => {
    expect(before('a', '')).toBeUndefined();
  });
});

describe('of two faults in the options of a list or watch', () => {
  test.each([
    ['continue=x&resourceVersion=abc', 'invalid continue token: '],
    ['continue=x&resourceVersion=1', 'invalid continue token: '],
    ['fieldSelector=x&resourceVersion=abc', "invalid selector: 'x'"],
    ['watch=1&fieldSelector=x%3D1&resourceVersion=abc', 'field label not supported: x'],
  ])('kube-apiserver reports the same one: %s', async (query, message) => {
    const { json } = bench();
    const expected = { status: 400, json: { message: expect.stringContaining(message) as string } };
    for (const method of query.startsWith('watch') ? ['GET'] : ['GET', 'DELETE'])
      expect(await json(`${method} ${path()}?${query}`)).toMatchObject(expected);
  });
});

test('a resourceVersion that is not a number is refused with the words of each verb', async () => {
  const { json } = bench();
  const wrong = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax';
  for (const [query, message] of [
    ['resourceVersion=abc', `invalid resource version: ${wrong}`],
    ['resourceVersion=abc&limit=1', `invalid resource version: ${wrong}`],
    ['watch=1&resourceVersion=abc', wrong],
  ]) {
    expect(await json(`GET ${path()}?${query}`)).toMatchObject({ status: 400, json: { message } });
  }
});
