import { describe, expect, it } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { applyBodyWarnings, readApplyBody, type ApplyBody } from '../../../../src/api/managed-fields/apply-body.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { failureOf } from './tracked-event.js';

const read = async (text: string): Promise<ApplyBody> =>
  readApplyBody(new TextEncoder().encode(text), createBodyLimits());

async function refusalOf(text: string): Promise<string> {
  try {
    await read(text);
  } catch (error) {
    if (isStatusFailure(error)) return `${error.status.code} ${error.status.reason} ${error.message}`;
    throw error;
  }
  return 'no refusal';
}

describe('readApplyBody', () => {
  it('reads JSON at once and YAML', async () => {
    expect(readApplyBody(new TextEncoder().encode('{"kind":"Event"}'), createBodyLimits())).toEqual({
      intent: { kind: 'Event' },
      duplicates: [],
    });
    expect((await read('kind: Event\nmetadata: {name: a}\n')).intent).toEqual({
      kind: 'Event',
      metadata: { name: 'a' },
    });
  });

  it('reads the first document only', async () => {
    expect((await read('---\nkind: Event\n---\nkind: Other\n')).intent).toEqual({ kind: 'Event' });
  });

  it('reads an empty body and null as an empty object', async () => {
    expect((await read('')).intent).toEqual({});
    expect((await read('null')).intent).toEqual({});
  });

  it('keeps nulls and unusual keys', async () => {
    const { intent } = await read('{"note":null,"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}');
    expect(JSON.stringify(intent)).toBe('{"note":null,"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}');
  });

  it('refuses bodies that are not objects', async () => {
    const text = 'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal';
    expect(await refusalOf('[]')).toBe(`400 BadRequest ${text} array into Go value of type map[string]interface {}`);
    expect(await refusalOf('"x"')).toBe(`400 BadRequest ${text} string into Go value of type map[string]interface {}`);
  });

  it('refuses broken YAML and broken JSON', async () => {
    for (const text of ['a: b: c', '\tx: 1', '{"a":', `${'['.repeat(5000)}`]) {
      expect(await refusalOf(text)).toMatch(
        /^400 BadRequest error decoding YAML: error converting YAML to JSON: yaml: /,
      );
    }
  });
});

describe('applyBodyWarnings', () => {
  const line = 'line 3: key "a" already set in map';

  it('reports duplicate keys by line, also those of JSON', async () => {
    const yaml = await read('kind: Event\na: 1\na: 2\n');
    expect(yaml.intent).toEqual({ kind: 'Event', a: 2 });
    expect(applyBodyWarnings(yaml, 'Warn')).toEqual([line]);
    expect(applyBodyWarnings(yaml, 'Ignore')).toEqual([]);
    expect(applyBodyWarnings(await read('{"b":1,\n"a":1,\n"a":2}'), 'Warn')).toEqual([line]);
  });

  it('throws an error under Strict', async () => {
    const body = await read('kind: Event\na: 1\na: 2\na: 3\n');
    const failure = failureOf(() => applyBodyWarnings(body, 'Strict'));
    expect(failure.status).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(failure.message).toBe(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${line}\n  ` +
        'line 4: key "a" already set in map',
    );
  });

  it('reports nothing for an ordinary body', async () => {
    expect(applyBodyWarnings(await read('{}'), 'Strict')).toEqual([]);
  });
});
