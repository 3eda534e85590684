import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as Etcd from '../../src/etcd.js';
import type * as Index from '../../src/index.js';
import type * as Postgres from '../../src/postgres.js';
import type * as Sqlite from '../../src/sqlite.js';
import type * as Store from '../../src/store.js';
import type * as Sidecar from '../../src/store/sidecar/sidecar.js';
import type * as Testing from '../../src/testing.js';
import { root } from './source-files.js';

type Json = Record<string, unknown>;

/** The added fields, one of each kind, each in one line of the schema. */
const LINES = `
      severity: text(16, 'How bad it is.', { selectable: 13 }),
      attempts: typed(scalar('int32'), 17, 'How often it was tried.'),
      confirmed: typed(scalar('bool'), 18, 'Whether somebody has seen it.'),
      origin: typed(objectReferenceShape(), 19, 'Where it comes from.'),
      tags: typed(list(scalar('string')), 20, 'Words for it.'),
      details: typed(stringMap(), 21, 'More about it.'),
      noticedAt: typed(scalar('micro-time'), 22, 'When it was noticed.'),`;

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
const MERGE = { 'content-type': 'application/merge-patch+json' };

/** A copy of the library whose schema has the added fields. */
export interface SchemaCopy {
  readonly folder: string;
  /** What the generator printed: the files that it wrote. */
  readonly written: string;
  readonly index: typeof Index;
  readonly sqlite: typeof Sqlite;
  readonly postgres: typeof Postgres;
  readonly etcd: typeof Etcd;
  readonly store: typeof Store;
  readonly testing: typeof Testing;
  readonly sidecar: typeof Sidecar;
  readonly remove: () => void;
}

/** Runs the generator of a copy, and returns what it printed. */
export function runGenerator(folder: string, ...words: readonly string[]): string {
  return execFileSync(process.execPath, ['--import', 'tsx', 'scripts/generate.ts', ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Copies the library, adds the fields to the schema, generates, builds and loads it. */
export async function copyWithAddedFields(): Promise<SchemaCopy> {
  const folder = mkdtempSync(join(tmpdir(), 'kube-vitals-field-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    return { folder, remove, ...(await writeCopy(folder)) };
  } catch (error) {
    remove();
    throw error;
  }
}

async function writeCopy(folder: string): Promise<Omit<SchemaCopy, 'folder' | 'remove'>> {
  for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json', '.prettierrc.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const schema = readFileSync(join(folder, SCHEMA), 'utf8');
  const end = '\n      }),\n';
  const last = schema.indexOf(end, schema.indexOf('deprecatedCount: typed(')) + end.length - 1;
  const imports = schema.replace('import { scalar,', 'import { list, stringMap, scalar,');
  const at = last + imports.length - schema.length;
  writeFileSync(join(folder, SCHEMA), imports.slice(0, at) + LINES + imports.slice(at));
  const written = runGenerator(folder);
  await build({
    absWorkingDir: folder,
    entryPoints: {
      index: 'src/index.ts',
      sqlite: 'src/sqlite.ts',
      postgres: 'src/postgres.ts',
      etcd: 'src/etcd.ts',
      store: 'src/store.ts',
      'sqlite-worker': 'src/store/sqlite/worker.ts',
      testing: 'src/testing.ts',
      sidecar: 'src/store/sidecar/sidecar.ts',
    },
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const load = async <T>(name: string): Promise<T> =>
    (await import(pathToFileURL(join(folder, 'dist', `${name}.js`)).href)) as T;
  return {
    written,
    index: await load<typeof Index>('index'),
    sqlite: await load<typeof Sqlite>('sqlite'),
    postgres: await load<typeof Postgres>('postgres'),
    etcd: await load<typeof Etcd>('etcd'),
    store: await load<typeof Store>('store'),
    testing: await load<typeof Testing>('testing'),
    sidecar: await load<typeof Sidecar>('sidecar'),
  };
}

/** Puts a watch cache in front of a store of the copy, and waits until it is filled. */
export async function behindCacheOf({ index }: SchemaCopy, store: Index.EventStore): Promise<Index.EventStore> {
  const cached = index.cachedStore(store);
  await vi.waitFor(() => expect(cached.status().state).toBe('ready'), 10_000);
  return cached;
}

/** The stores of {@link testAddedFields}. */
export interface TestedStores {
  readonly copy: () => SchemaCopy;
  /** Opens the store of this name: an empty one, or what a durable one had when it was closed. */
  readonly open: (name: string) => Index.EventStore | Promise<Index.EventStore>;
  /** Opens an empty store to which events are copied. Default: another one of the same kind. */
  readonly openTarget?: () => Index.EventStore;
  /** Whether events outlive the store that wrote them. */
  readonly isDurable: boolean;
}

/** Takes the added fields through the whole API over one kind of store. */
export function testAddedFields(title: string, { copy, open, openTarget, isDurable }: TestedStores): void {
  describe(title, () => {
    let store: Index.EventStore;
    let events: Index.Events;
    let created: Json;
    let names = 0;

    beforeAll(async () => {
      store = await open('events');
      events = copy().index.createEvents({
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
      copy().testing.call(events.handle, target, {
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && {
          body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        }),
      });
    const json = async (target: string, body?: unknown, headers?: Record<string, string>): Promise<Json> => {
      const response = await ask(target, body, headers);
      const object = await response.json<Json>();
      if (response.status >= 300) throw new Error(`${target}: ${response.status} ${String(object['message'])}`);
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
        const response = await ask(target, { ...again, [name]: value });
        const { message } = await response.json<{ message: string }>();
        expect([response.status, message]).toEqual([422, expect.stringContaining(`${name}: Invalid value`)]);
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
        const response = await ask(
          `GET ${base}?watch=true&${query}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
        );
        for await (const frame of response.frames<{ object: Json }>()) {
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

    test.each([EVENTS, CORE])('is in what an open watch of %s sends, and its selector reads it', async (base) => {
      const { metadata } = await json(`GET ${base}?limit=1`);
      const from = `resourceVersion=${(metadata as { resourceVersion: string }).resourceVersion}`;
      const watch = await ask(`GET ${base}?watch=true&fieldSelector=severity%3Dhigh&timeoutSeconds=20&${from}`);
      const low = nameOf(await make({ ...ADDED, severity: 'low' }));
      const high = nameOf(await make());
      await json(`PATCH ${CORE}/${high}`, { severity: 'low' }, MERGE);
      await json(`PATCH ${CORE}/${low}`, { severity: 'high' }, MERGE);
      await json(`DELETE ${base}/${low}`);
      const seen: unknown[] = [];
      for await (const { type, object } of watch.frames<{ type: string; object: Json }>()) {
        seen.push([type, nameOf(object), fieldsOf(object)]);
        if (seen.length === 4) break;
      }
      expect(seen).toEqual([
        ['ADDED', high, ADDED],
        ['DELETED', high, ADDED],
        ['ADDED', low, ADDED],
        ['DELETED', low, ADDED],
      ]);
    });

    /** Reads the event from a store, and closes it. */
    const expectIn = async (opened: Index.EventStore): Promise<void> => {
      const key = { namespace: 'default', name: nameOf(created) };
      try {
        const page = await opened.list({ limit: 10_000, terms: [{ field: 'severity', value: 'high' }] });
        const listed = page.records.find((record) => record.key.name === key.name);
        for (const record of [await opened.get(key), listed]) {
          expect(fieldsOf(JSON.parse(new TextDecoder().decode(record?.event.bytes)))).toEqual(ADDED);
          expect(record?.event.fields['severity']).toBe('high');
        }
      } finally {
        await opened.close();
      }
    };

    test('is copied to another store', async () => {
      const other = await (openTarget ?? (() => open('target')))();
      await copy().store.copyEvents(store, other);
      await expectIn(other);
    });

    test('is in what all durable stores keep of an event', async () => {
      const record = await store.get({ namespace: 'default', name: nameOf(created) });
      if (!record) throw new Error('the event is gone');
      const { event } = record;
      const { encodeSidecar, eventWithSidecar } = copy().sidecar;
      const again = eventWithSidecar(event.bytes, encodeSidecar(event));
      expect(again.fields).toEqual(event.fields);
      expect(again.fields['severity']).toBe('high');
    });
    if (!isDurable) return;

    test('is in what a store reads that is opened where another was closed', async () => {
      const first = await open('closed');
      await copy().store.copyEvents(store, first);
      await first.close();
      await expectIn(await open('closed'));
    });
  });
}
