import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventFields } from '../../scripts/generate/shape-fields.js';
import { selectorSource } from '../../scripts/generate/selectors.js';
import { structOf } from '../../src/api/schema/shape.js';
import type { FieldShape, StructShape } from '../../src/api/schema/shape.js';
import { eventShape, SOURCE } from '../../src/events/resource/schema.js';
import type * as Index from '../../src/index.js';
import type { sqliteStore as SqliteStore } from '../../src/sqlite.js';
import type { copyEvents as CopyEvents } from '../../src/store.js';
import type * as Described from '../../src/store/sidecar/sidecar.js';
import type { call as Call } from '../../src/testing.js';
import { root } from './source-files.js';

type Json = Record<string, unknown>;

/** The added fields, one of each kind, each in one line of the schema. */
const LINES = `
      severity: text(16, 'How bad it is.', { selectable: 13 }),
      attempts: field(scalar('int32'), { protobuf: 17, description: 'How often it was tried.' }),
      confirmed: field(scalar('bool'), { protobuf: 18, description: 'Whether somebody has seen it.' }),
      origin: field(objectReferenceShape(), { protobuf: 19, description: 'Where it comes from.' }),
      tags: field(list(scalar('string')), { protobuf: 20, description: 'Words for it.' }),
      details: field(stringMap(), { protobuf: 21, description: 'More about it.' }),
      noticedAt: field(scalar('micro-time'), { protobuf: 22, description: 'When it was noticed.' }),`;

const ADDED = {
  severity: 'high',
  attempts: 3,
  confirmed: true,
  origin: { kind: 'Node', name: 'n' },
  tags: ['a', 'b'],
  details: { cause: 'a "text"' },
  noticedAt: '2026-03-05T06:07:08.000000Z',
};

/** Another value for each; `false` is stored as no value. */
const CHANGED = {
  severity: 'low',
  attempts: 4,
  confirmed: false,
  origin: { kind: 'Zone', name: 'n' },
  tags: ['b', 'a'],
  details: { cause: 'another' },
  noticedAt: '2026-03-05T06:07:09.000000Z',
};

const SCHEMA = 'src/events/resource/schema.ts';
const EVENTS = '/apis/events.example.com/v1/namespaces/default/events';
const CORE = '/api/v1/namespaces/default/events';

const run = (folder: string, ...words: readonly string[]): string =>
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/generate.ts', ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

test('the generated files are up to date with the schema', () => {
  expect(run(root, '--check')).toBe('');
});

describe('the generator refuses', () => {
  const withField = (more: Partial<FieldShape>): StructShape => {
    const { byName: _, ...event } = eventShape();
    const [last] = event.fields.slice(-1) as [FieldShape];
    return structOf(event, [...event.fields, { ...last, name: 'severity', protobuf: 16, older: undefined, ...more }]);
  };

  test('a protobuf number that is taken, in either version', () => {
    expect(() => eventFields(withField({ protobuf: 15 }))).toThrow('Event gives a protobuf number twice');
    expect(() => eventFields(withField({ older: { protobuf: 3 } }))).toThrow('Event gives a protobuf number twice');
  });

  test('a place among selectable fields that is taken, or leaves a gap', () => {
    for (const selectable of [3, 14]) {
      expect(() => selectorSource(eventFields(withField({ selectable })), SOURCE)).toThrow('the next free one is');
    }
    expect(selectorSource(eventFields(withField({ selectable: 13 })), SOURCE)).toContain("fields['severity']");
  });
});

describe('a field that is added to the schema in one line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-field-'));
  let library: typeof Index;
  let sqliteStore: typeof SqliteStore;
  let copyEvents: typeof CopyEvents;
  let call: typeof Call;
  let described: typeof Described;
  let written: string;

  beforeAll(async () => {
    for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json', '.prettierrc.json']) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const schema = readFileSync(join(folder, SCHEMA), 'utf8');
    const end = '\n      }),\n';
    const last = schema.indexOf(end, schema.indexOf('deprecatedCount: field(')) + end.length - 1;
    const imports = schema.replace('import { field, scalar,', 'import { field, list, stringMap, scalar,');
    const at = last + imports.length - schema.length;
    writeFileSync(join(folder, SCHEMA), imports.slice(0, at) + LINES + imports.slice(at));
    written = run(folder);
    await build({
      absWorkingDir: folder,
      entryPoints: {
        index: 'src/index.ts',
        sqlite: 'src/sqlite.ts',
        store: 'src/store.ts',
        'sqlite-worker': 'src/store/sqlite/worker.ts',
        testing: 'src/testing.ts',
        described: 'src/store/sidecar/sidecar.ts',
      },
      outdir: 'dist',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
    });
    const load = (name: string): Promise<unknown> => import(pathToFileURL(join(folder, 'dist', `${name}.js`)).href);
    library = (await load('index')) as typeof Index;
    ({ sqliteStore } = (await load('sqlite')) as { sqliteStore: typeof SqliteStore });
    ({ copyEvents } = (await load('store')) as { copyEvents: typeof CopyEvents });
    ({ call } = (await load('testing')) as { call: typeof Call });
    described = (await load('described')) as typeof Described;
  }, 120_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is in all generated files that name the fields', () => {
    expect(written.split('\n').filter(Boolean).sort()).toEqual(
      [
        'written: src/model/event.ts',
        'written: src/events/codec/compare-events.ts',
        'written: src/events/codec/selector-fields.ts',
        'written: src/events/codec/write-event.ts',
        'written: src/store/contract/schema-facts.ts',
      ].sort(),
    );
  });

  describe.each(['memory', 'sqlite'])('in the %s store', (engine) => {
    let store: Index.EventStore;
    let events: Index.Events;
    let created: Json;
    let names = 0;

    beforeAll(async () => {
      store = engine === 'memory' ? library.memoryStore() : sqliteStore({ path: join(folder, 'events.db') });
      events = library.createEvents({
        apiDomain: 'example.com',
        store,
        coreV1: true,
        authenticate: () => ({ name: 'tester', groups: [] }),
        authorize: () => ({ allowed: true }),
      });
      created = await make();
    });
    afterAll(async () => {
      await events.close();
      await store.close();
    });

    const ask = (target: string, body?: unknown, headers: Record<string, string> = {}) =>
      call(events.handle, target, {
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && {
          body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        }),
      });
    const json = async (target: string, body?: unknown, headers?: Record<string, string>): Promise<Json> => {
      const answer = await ask(target, body, headers);
      const object = await answer.json<Json>();
      if (answer.status >= 300) throw new Error(`${target}: ${answer.status} ${String(object['message'])}`);
      return object;
    };
    const fieldsOf = (object: unknown): Json =>
      Object.fromEntries(Object.keys(ADDED).map((name) => [name, (object as Json)[name]]));
    const nameOf = (object: Json): string => (object['metadata'] as { name: string }).name;
    const body = (name: string, more: Json = ADDED): Json => ({
      apiVersion: 'events.example.com/v1',
      kind: 'Event',
      metadata: { name, labels: { app: 'web' } },
      eventTime: '2026-03-05T06:07:08.123456Z',
      reportingController: 'example.com/tester',
      reportingInstance: 'tester-0',
      action: 'Testing',
      reason: 'Tested',
      note: 'a note',
      type: 'Normal',
      regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
      ...more,
    });
    const make = (more?: Json): Promise<Json> => json(`POST ${EVENTS}`, body(`e${names++}`, more));
    const series = { count: 2, lastObservedTime: '2026-03-05T06:07:09.000000Z' };

    test('is present after a create, and is not required', async () => {
      expect(fieldsOf(created)).toEqual(ADDED);
      expect(fieldsOf(await json(`GET ${EVENTS}/${nameOf(created)}`))).toEqual(ADDED);
      expect(Object.keys(await make({}))).not.toContain('severity');
    });

    test('survives an update, and cannot be changed by one', async () => {
      const event = await make();
      const target = `PUT ${EVENTS}/${nameOf(event)}`;
      const updated = await json(target, { ...event, series });
      expect({ ...fieldsOf(updated), series: updated['series'] }).toEqual({ ...ADDED, series });
      const again = await json(target, { ...updated, series: { ...series, count: 3 } });
      expect(fieldsOf(again)).toEqual(ADDED);
      expect(fieldsOf(await json(`GET ${EVENTS}/${nameOf(event)}`))).toEqual(ADDED);
      for (const [name, value] of Object.entries(CHANGED)) {
        const answer = await ask(target, { ...again, [name]: value });
        const { message } = await answer.json<{ message: string }>();
        expect([answer.status, message]).toEqual([422, expect.stringContaining(`${name}: Invalid value`)]);
      }
    });

    test('is changed by an update in core/v1', async () => {
      const { metadata } = await make();
      const target = `${CORE}/${(metadata as { name: string }).name}`;
      const event = await json(`GET ${target}`);
      expect(fieldsOf(event)).toEqual(ADDED);
      for (const [name, value] of Object.entries(CHANGED)) {
        await json(`PUT ${target}`, { ...(await json(`GET ${target}`)), [name]: value });
        expect((await json(`GET ${EVENTS}/${nameOf(event)}`))[name]).toEqual(value === false ? undefined : value);
      }
    });

    test.each([
      ['merge', 'application/merge-patch+json', (value: Json): unknown => value],
      ['strategic merge', 'application/strategic-merge-patch+json', (value: Json): unknown => value],
      [
        'JSON',
        'application/json-patch+json',
        (value: Json): unknown =>
          Object.entries(value).map(([name, one]) => ({ op: 'add', path: `/${name}`, value: one })),
      ],
    ])('survives and is changed by a %s patch', async (_, type, patch) => {
      const name = nameOf(await make());
      const headers = { 'content-type': type };
      expect(fieldsOf(await json(`PATCH ${EVENTS}/${name}`, patch({ series }), headers))).toEqual(ADDED);
      const changed = await json(`PATCH ${CORE}/${name}`, patch({ severity: 'low', attempts: 9 }), headers);
      expect(fieldsOf(changed)).toEqual({ ...ADDED, severity: 'low', attempts: 9 });
      const refused = await ask(`PATCH ${EVENTS}/${name}`, patch({ severity: 'none' }), headers);
      expect(refused.status).toBe(422);
    });

    test('is applied, and owned by the manager that sets it', async () => {
      const name = `e${names++}`;
      const apply = { 'content-type': 'application/apply-patch+yaml' };
      const applied = await json(`PATCH ${EVENTS}/${name}?fieldManager=a`, body(name), apply);
      expect(fieldsOf(applied)).toEqual(ADDED);
      for (const object of [applied, created]) {
        const { managedFields } = object['metadata'] as { managedFields: { fieldsV1: Json }[] };
        const owned = Object.keys(managedFields[0]?.fieldsV1 ?? {});
        expect(owned).toEqual(expect.arrayContaining(Object.keys(ADDED).map((field) => `f:${field}`)));
      }
      const other = { apiVersion: 'events.example.com/v1', kind: 'Event', severity: 'low' };
      const taken = await ask(`PATCH ${EVENTS}/${name}?fieldManager=b`, other, apply);
      expect(taken.status).toBe(409);
    });

    test.each(Object.entries(ADDED))(
      'is owned by the manager that creates an event with %s, also after an event without',
      async (name, value) => {
        await make({});
        const { metadata } = await make({ [name]: value });
        const [entry] = (metadata as { managedFields: { fieldsV1: Json }[] }).managedFields;
        expect(Object.keys(entry?.fieldsV1 ?? {})).toContain(`f:${name}`);
      },
    );

    test('is in lists, watches and Tables, and selectors read it', async () => {
      const query = 'fieldSelector=severity%3Dhigh';
      for (const base of [EVENTS, CORE]) {
        const { items } = (await json(`GET ${base}?${query}`)) as { items: Json[] };
        expect(items.length).toBeGreaterThan(0);
        for (const item of items) expect((item as { severity: string }).severity).toBe('high');
        const none = await json(`GET ${base}?fieldSelector=severity%3Dunheard-of`);
        expect(none['items']).toEqual([]);
        const answer = await ask(
          `GET ${base}?watch=true&${query}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
        );
        for await (const frame of answer.frames<{ object: Json }>()) {
          expect(frame.object['severity']).toBe('high');
          break;
        }
        const table = await json(`GET ${base}/${nameOf(created)}?includeObject=Object`, undefined, {
          accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
        });
        expect(fieldsOf((table as { rows: { object: Json }[] }).rows[0]?.object)).toEqual(ADDED);
      }
    });

    test.each([EVENTS, CORE])('is in YAML and protobuf of %s, both ways', async (base) => {
      const { metadata: _, ...rest } = await json(`GET ${base}/${nameOf(created)}`);
      for (const type of ['application/yaml', 'application/vnd.kubernetes.protobuf']) {
        const fresh = JSON.stringify({ ...rest, metadata: { name: `e${names++}` } });
        const { status, body: form } = (await events.handle({
          method: 'POST',
          url: `${base}?dryRun=All`,
          headers: { accept: type, 'content-type': 'application/json' },
          body: () => fresh,
        })) as { status: number; body: Uint8Array | string };
        expect(status).toBe(201);
        expect(fieldsOf(await json(`POST ${base}`, form, { 'content-type': type }))).toEqual(ADDED);
      }
    });

    test('is in the OpenAPI documents', async () => {
      for (const path of ['/openapi/v2', '/openapi/v3/api/v1', '/openapi/v3/apis/events.example.com/v1']) {
        const text = await (await ask(`GET ${path}`, undefined, { accept: 'application/json' })).text();
        for (const name of Object.keys(ADDED)) expect(text, path).toContain(`"${name}":{`);
      }
    });

    test('is copied to another store', async () => {
      const other = engine === 'memory' ? sqliteStore({ path: join(folder, 'copy.db') }) : library.memoryStore();
      await copyEvents(store, other);
      const record = await other.get({ namespace: 'default', name: nameOf(created) });
      expect(fieldsOf(JSON.parse(new TextDecoder().decode(record?.event.bytes)))).toEqual(ADDED);
      expect(record?.event.fields['severity']).toBe('high');
      await other.close();
    });

    test('is in what all durable stores keep of an event', async () => {
      const record = await store.get({ namespace: 'default', name: nameOf(created) });
      if (!record) throw new Error('the event is gone');
      const { event } = record;
      const again = described.eventWithSidecar(event.bytes, described.encodeSidecar(event));
      expect(again.fields).toEqual(event.fields);
      expect(again.fields['severity']).toBe('high');
    });
  });
});
