import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { createEventsClient, type Event, type EventsClient } from '../../../../src/client.js';
import { nextTurn } from '../../../../src/clock/clock.js';
import type { EndSignal, ProcessContext } from '../../../../src/cli/command-line/command.js';
import { eventsCommand } from '../../../../src/cli/events/events-command.js';
import { allowAnonymous, allowEverybody, createEvents, memoryStore, type Events } from '../../../../src/index.js';
import { settle } from '../../client/watching/bench.js';

const here = vi.hoisted(() => ({ client: undefined as unknown, closed: 0, pluginWrites: '' }));
vi.mock('../../../../src/cli/events/connect.js', () => ({
  async connect(_flags: unknown, _signal: unknown, onExecOutput: (text: string) => void) {
    onExecOutput(here.pluginWrites);
    return { client: here.client, close: async () => void here.closed++ };
  },
}));

const ONCE = { retries: 0 };

let events: Events;
let client: EventsClient;

/** The command loads it when it runs, which takes more turns than the tests wait. */
beforeAll(() => import('../../../../src/cli/events/run-events.js'));

beforeEach(() => {
  const access = { authenticate: allowAnonymous(), authorize: allowEverybody() };
  events = createEvents({ apiDomain: 'example.com', store: memoryStore(), ...access });
  here.client = client = createEventsClient({ events });
  here.closed = 0;
});
afterEach(() => events.close());

const ago = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000 - 5_000).toISOString().replace('Z', '000Z');

const event = (name: string, minutes: number, more: Partial<Event> = {}): Event => ({
  metadata: { name, namespace: 'default' },
  eventTime: ago(minutes),
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-0' },
  note: name,
  ...more,
});

interface Run {
  readonly written: { out: string; err: string };
  /** The same output, one text for each write. */
  readonly parts: readonly string[];
  readonly code: Promise<number>;
  end(signal: EndSignal): void;
  /** The reader has taken what was written. */
  drain(): void;
}

/** `takes`: how many texts the reader takes before it is slow. */
function start(argv: readonly string[], colour = false, takes = Infinity): Run {
  const written = { out: '', err: '' };
  const parts: string[] = [];
  let end: (signal: EndSignal) => void = () => undefined;
  let drain = (): void => undefined;
  const context: ProcessContext = {
    stdout: {
      write(text) {
        written.out += text;
        return parts.push(text) < takes;
      },
      once: (_, listener) => (drain = listener),
    },
    stderr: { write: (text) => (written.err += text) },
    ...{ pid: 1, colour },
    onSignal(listener) {
      end = listener;
      return () => undefined;
    },
  };
  const prepared = eventsCommand.prepare(argv);
  if (!('run' in prepared)) throw new Error(JSON.stringify(prepared));
  return { written, parts, code: prepared.run(context), end: (signal) => end(signal), drain: () => drain() };
}

async function output(...argv: string[]): Promise<string> {
  const { written, code } = start(argv);
  expect([await code, written.err]).toEqual([0, '']);
  return written.out;
}

/** The last cell of each line, without the head. */
const messages = (out: string): string[] =>
  out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {3,}/).at(-1) ?? '');

describe('kube-vitals events', () => {
  it('shows what kubectl events shows, the newest first', async () => {
    await client.create(event('old', 90));
    await client.create(event('new', 30, { type: 'Warning', series: { count: 4, lastObservedTime: ago(12) } }));
    expect(await output()).toBe(
      [
        'LAST SEEN           TYPE      REASON   OBJECT      MESSAGE',
        '12m (x4 over 30m)   Warning   Tested   Pod/web-0   new',
        '90m                 Normal    Tested   Pod/web-0   old',
        '',
      ].join('\n'),
    );
    expect(messages(await output('--sort', 'oldest'))).toEqual(['old', 'new']);
    expect(here.closed).toBe(2);
  });

  it('shows one namespace, or all with their names', async () => {
    await client.create(event('here', 1));
    await client.create({
      ...event('there', 2),
      metadata: { name: 'there', namespace: 'shop' },
      regarding: { kind: 'Pod', namespace: 'shop', name: 'x' },
    });
    expect(messages(await output())).toEqual(['here']);
    expect(messages(await output('-n', 'shop'))).toEqual(['there']);
    expect((await output('-A')).split('\n').map((line) => line.split(' ')[0])).toEqual([
      'NAMESPACE',
      'default',
      'shop',
      '',
    ]);
  });

  it('selects by object, in the notation of kubectl, and by type', async () => {
    await client.create(event('a', 1));
    await client.create(event('b', 2, { type: 'Warning' }));
    await client.create(event('c', 3, { regarding: { kind: 'Service', namespace: 'default', name: 'web-0' } }));
    await client.create(event('d', 4, { regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' } }));
    for (const about of ['pod/web-0', 'Pods/web-0', 'po/web-0', 'pods.v1./web-0']) {
      expect(messages(await output('--for', about))).toEqual(['a', 'b']);
    }
    expect(messages(await output('--for', 'svc/web-0'))).toEqual(['c']);
    expect(messages(await output('--types', 'warning'))).toEqual(['b']);
    expect(messages(await output('--types=Warning,Normal', '--for=pod/web-0'))).toEqual(['a', 'b']);
  });

  it('has more columns with -o wide', async () => {
    await client.create(
      event('a', 20, { regarding: { kind: 'Pod', namespace: 'default', name: 'web-0', fieldPath: 'spec.x' } }),
    );
    const [head = '', row = ''] = (await output('-o', 'wide')).split('\n');
    expect(head.split(/ {2,}/)).toEqual([
      'LAST SEEN',
      'TYPE',
      'REASON',
      'OBJECT',
      'SUBOBJECT',
      'SOURCE',
      'MESSAGE',
      'FIRST SEEN',
      'COUNT',
      'NAME',
    ]);
    expect(row.split(/ {2,}/)).toEqual([
      '20m',
      'Normal',
      'Tested',
      'Pod/web-0',
      'spec.x',
      'example.com/tester, tester-0',
      'a',
      '20m',
      '1',
      'a',
    ]);
  });

  const hostile = 'a\u001b[2J\u001b]0;title\u0007\r\n\u009bm\u202eb\u2028c';

  const emptyList = { apiVersion: 'v1', items: [], kind: 'List', metadata: { resourceVersion: '' } };

  it('writes JSON in parts, because together they may be longer than a string can be', async () => {
    expect(await output('-o', 'json')).toBe(`${JSON.stringify(emptyList, null, 4)}\n`);

    for (const name of ['one', 'two', 'three']) await client.create(event(name, 1, { note: `a [] and\nb` }));
    const { written, parts, code } = start(['-o', 'json']);
    expect(await code).toBe(0);
    const list: unknown = JSON.parse(written.out);
    expect(list).toMatchObject({ ...emptyList, items: [{ kind: 'Event' }, { kind: 'Event' }, { kind: 'Event' }] });
    expect(written.out).toBe(`${JSON.stringify(list, null, 4)}\n`);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(written.out.length / 2);
  });

  it('writes YAML in parts, for the same reason', async () => {
    expect(await output('-o', 'yaml')).toBe(
      'apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: ""\n',
    );

    const notes = ['items: []\n- a\n\n  b\n', ' a\n', 'a\t\n\n'];
    for (const [at, note] of notes.entries()) await client.create(event(`e${at}`, at, { note }));
    const { written, parts, code } = start(['-o', 'yaml']);
    expect(await code).toBe(0);
    expect(parse(written.out)).toMatchObject({ ...emptyList, items: notes.map((note) => ({ kind: 'Event', note })) });
    expect(written.out).toMatch(/^apiVersion: v1\nitems:\n {2}- apiVersion: /);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(written.out.length / 2);
  });

  it.each(['table', 'wide', 'json', 'yaml'])('writes no control characters of a note with -o %s', async (format) => {
    await client.create(event('a', 1, { note: hostile }));
    const out = await output('-o', format);
    expect(out.replace(/\n/g, '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2028]/u);
    if (format === 'json') expect(JSON.parse(out).items[0].note).toBe(hostile);
    if (format === 'yaml') expect(parse(out).items[0].note).toBe(hostile);
    if (format === 'table') expect(out).toContain('a\\u001b[2J\\u001b]0;title\\u0007\\r\\n\\u009bm\\u202eb\\u2028c');
  });

  it('writes lists as kubectl does, without managed fields', async () => {
    await client.create(event('a', 1));
    const list = JSON.parse(await output('-o', 'json'));
    expect(list).toMatchObject({ apiVersion: 'v1', kind: 'List', items: [{ kind: 'Event', metadata: { name: 'a' } }] });
    expect(list.items[0].metadata).not.toHaveProperty('managedFields');
    expect(parse(await output('-o', 'yaml'))).toEqual(list);
  });

  it.each(['yes', 'No', 'on', 'y', '0123', '1:30', '1_000', '0b11', '2026-01-01', '<<', 'null'])(
    'writes YAML that kubectl, which reads YAML 1.1, understands: %s',
    async (text) => {
      const { metadata, ...rest } = event('a', 1, { note: text });
      await client.create({ ...rest, metadata: { ...metadata, annotations: { [text.replace(/\W/g, 'a')]: text } } });
      const out = await output('-o', 'yaml');
      expect(parse(out, { version: '1.1' })).toEqual(JSON.parse(await output('-o', 'json')));
    },
  );

  /** A client of a server whose list has these items. */
  const listing = (items: readonly object[], resourceVersion?: string): EventsClient =>
    createEventsClient({
      transport: ({ url }) =>
        url.includes('watch=true')
          ? { status: 200, headers: {}, body: '' }
          : {
              status: 200,
              headers: {},
              body: JSON.stringify({ kind: 'EventList', metadata: { resourceVersion }, items }),
            },
      retry: ONCE,
    });
  const odd = (name: string, more: object): object => ({ metadata: { name, namespace: 'default' }, ...more });
  /** Conversion to a text or a number fails for it. */
  const inconvertible = { toString: 1, valueOf: 1 };

  it.each(['table', 'wide', 'json', 'yaml'])(
    'shows with -o %s events whose fields have other types',
    async (format) => {
      const values = [null, 5, true, [], {}, inconvertible];
      here.client = listing(
        values.map((value, at) => ({
          metadata: { name: `odd-${at}`, namespace: 'default', creationTimestamp: value },
          ...{ type: value, reason: value, note: value, reportingController: value, reportingInstance: value },
          regarding: at === 0 ? value : { kind: value, name: value, fieldPath: value },
          ...{
            eventTime: value,
            deprecatedCount: value,
            deprecatedFirstTimestamp: value,
            deprecatedLastTimestamp: value,
          },
          series: at === 0 ? value : { count: value, lastObservedTime: value },
          deprecatedSource: { component: value, host: value },
        })),
      );
      const out = await output('-o', format);
      if (format === 'table')
        expect(messages(out).sort()).toEqual(['5', ...Array<string>(4).fill('<unknown>'), 'true']);
      if (format === 'wide') for (const at of values.keys()) expect(out).toContain(` odd-${at}\n`);
      if (format === 'json') expect(JSON.parse(out).items).toHaveLength(values.length);
    },
  );

  it('selects by type and object where a server sends other types of these fields', async () => {
    const values = [null, 5, inconvertible];
    here.client = listing([
      ...values.map((value) => odd('odd', { type: value, regarding: { kind: value, name: 'web-0' } })),
      odd('right', { type: 'Warning', regarding: { kind: 'Pod', name: 'web-0' }, note: 'right' }),
    ]);
    expect(messages(await output('--types', 'Warning'))).toEqual(['right']);
    expect(messages(await output('--for', 'pod/web-0'))).toEqual(['right']);
  });

  it.each(['json', 'yaml'])('names an event that is nested too deeply for -o %s', async (format) => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const body = `{"metadata":{},"items":[{"metadata":{"name":"a","namespace":"default"},"note":${deep}}]}`;
    here.client = createEventsClient({ transport: () => ({ status: 200, headers: {}, body }), retry: ONCE });
    const { written, code } = start(['-o', format]);
    expect([await code, written.err]).toEqual([
      1,
      'error: the server sent the event default/a with more than 100 levels: show it with -o table\n',
    ]);
    expect(messages(await output())).toEqual(['<unknown>']);
  });

  it('follows a server whose list has no resourceVersion', async () => {
    let watched = 0;
    const metadata = { name: 'later', namespace: 'default', resourceVersion: '7' };
    const frame = { type: 'ADDED', object: { metadata, note: 'later' } };
    here.client = createEventsClient({
      retry: ONCE,
      transport: ({ url, signal }) => {
        if (!url.includes('watch=true')) {
          const list = { kind: 'EventList', metadata: {}, items: [odd('first', { note: 'first' })] };
          return { status: 200, headers: {}, body: JSON.stringify(list) };
        }
        watched++;
        return {
          status: 200,
          headers: {},
          body: (async function* () {
            yield new TextEncoder().encode(`${JSON.stringify(frame)}\n`);
            await new Promise((resolve) => signal?.addEventListener('abort', resolve));
          })(),
        };
      },
    });
    const { written, code, end } = start(['--watch']);
    await settle();
    expect([messages(written.out), written.err]).toEqual([['first', 'later'], '']);
    end('SIGINT');
    expect([await code, watched]).toEqual([0, 1]);
  });

  it('colours on a terminal', async () => {
    await client.create(event('a', 1, { type: 'Warning' }));
    const { written, code } = start([], true);
    await code;
    expect(written.out).toContain('\u001b[33mWarning\u001b[0m');
    expect(await output()).not.toContain('\u001b');
  });

  it('reports on stderr that there are no events', async () => {
    const { written, code } = start([]);
    expect([await code, written]).toEqual([0, { out: '', err: 'No events found in default namespace.\n' }]);
    const all = start(['-A']);
    expect([await all.code, all.written]).toEqual([0, { out: '', err: 'No events found.\n' }]);
  });

  it.each([
    ['table', /^LAST SEEN +TYPE .*\n\S.* one\n$/],
    ['json', /^\{\n {4}"apiVersion": ".*",\n {4}"kind": "Event",/],
    ['yaml', /^---\napiVersion: .*\nkind: Event\n/],
  ])('shows nothing with --watch -o %s until there is an event, and then each event alone', async (format, shown) => {
    const first = start(['-w', '-o', format]);
    await settle();
    expect(first.written).toEqual({ out: '', err: '' });
    await client.create(event('one', 0));
    const later = start(['-w', '-o', format]);
    await settle();
    for (const { written, code, end } of [first, later]) {
      expect(written.out).toMatch(shown);
      end('SIGINT');
      expect(await code).toBe(0);
    }
  });

  it('continues with --watch until Ctrl-C, the oldest first', async () => {
    await client.create(event('one', 2));
    await client.create(event('two', 1));
    const { written, code, end } = start(['-w', '--types', 'Normal']);
    await settle();
    expect(messages(written.out)).toEqual(['one', 'two']);
    await client.create(event('three', 0));
    await client.create(event('four', 0, { type: 'Warning' }));
    await client.delete({ namespace: 'default', name: 'one' });
    await client.patch(
      { namespace: 'default', name: 'two' },
      { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } },
    );
    await settle();
    expect(messages(written.out)).toEqual(['one', 'two', 'three', 'two']);
    end('SIGINT');
    expect([await code, written.err, here.closed]).toEqual([0, '', 1]);
  });

  it.each<[EndSignal, string[], number]>([
    ['SIGINT', ['-o', 'json'], 130],
    ['SIGTERM', ['-o', 'json'], 143],
    ['SIGINT', ['-w'], 130],
  ])('that %s ends before it has shown what exists, with %j, has the exit code %i', async (signal, argv, expected) => {
    here.client = createEventsClient({ transport: () => new Promise(() => undefined), retry: ONCE });
    const { written, code, end } = start(argv);
    await settle();
    end(signal);
    expect([await code, written, here.closed]).toEqual([expected, { out: '', err: '' }, 1]);
  });

  it.each(['json', 'yaml'])('ends between two events with -o %s, when a signal comes', async (format) => {
    for (let index = 0; index < 20; index++) await client.create(event(`e-${index}`, index));
    const { parts, code, end } = start(['-o', format]);
    while (parts.length === 0) await nextTurn();
    end('SIGTERM');
    expect([await code, here.closed]).toEqual([143, 1]);
    expect(parts.length).toBeLessThan(10);
  });

  it('writes no more than a slow reader takes', async () => {
    for (let index = 0; index < 20; index++) await client.create(event(`e-${index}`, index));
    const { parts, code, end, drain } = start(['-o', 'json'], false, 5);
    await vi.waitFor(() => expect(parts).toHaveLength(5));
    await settle();
    expect(parts).toHaveLength(5);
    drain();
    await vi.waitFor(() => expect(parts).toHaveLength(6));
    end('SIGTERM');
    expect(await code).toBe(143);
    expect(parts).toHaveLength(6);
  });

  it('follows no faster with --watch than its reader takes', async () => {
    const { parts, code, end, drain } = start(['-w', '-o', 'json'], false, 2);
    await settle();
    for (const name of ['a', 'b', 'c', 'd']) await client.create(event(name, 0));
    await settle();
    expect(parts).toHaveLength(2);
    drain();
    await settle();
    expect(parts).toHaveLength(3);
    end('SIGINT');
    expect([await code, parts.length]).toEqual([0, 3]);
  });

  it('reports in one line what the server refuses', async () => {
    here.client = createEventsClient({
      transport: events.handle,
      group: 'events.example.com',
      timeoutMs: 1_000,
      retry: ONCE,
    });
    const { written, code } = start(['-n', 'no\u001b/such']);
    expect(await code).toBe(1);
    expect(written.err).toMatch(/^error: \P{Cc}+\n$/u);
  });

  it('shows what a credential plugin writes, in lines and without control of the terminal', async () => {
    here.pluginWrites = 'the session ends\n\u001b[2Jsoon\n';
    onTestFinished(() => void (here.pluginWrites = ''));
    const { written, code } = start([]);
    expect(await code).toBe(0);
    expect(written.err).toBe('the session ends\n\\u001b[2Jsoon\nNo events found in default namespace.\n');
  });

  it.each([[[]], [['--watch']]])('names its flag for the group that a server does not have (%j)', async (argv) => {
    here.client = createEventsClient({ transport: events.handle, retry: ONCE });
    const { written, code } = start(argv);
    expect(await code).toBe(1);
    expect(written.err).toMatch(/\(does it serve events\.k8s\.io\/v1\? set --api-group\)\n$/);
  });

  it('reports that it had no credentials where a server refuses an anonymous caller', async () => {
    const refusing = createEvents({
      apiDomain: 'example.com',
      store: memoryStore(),
      authenticate: allowAnonymous(),
      authorize: () => ({ allowed: false }),
    });
    here.client = createEventsClient({ transport: refusing.handle, group: 'events.example.com', retry: ONCE });
    const anonymous = start(['--server', 'http://localhost:1']);
    expect(await anonymous.code).toBe(1);
    expect(anonymous.written.err).toContain('forbidden');
    expect(anonymous.written.err).toContain('without credentials: give --token-file, or --kubeconfig');
    const known = start(['--server', 'http://localhost:1', '--token-file', 'token']);
    expect(await known.code).toBe(1);
    expect(known.written.err).not.toContain('without credentials');
    await refusing.close();
  });
});

describe('the command line of kube-vitals events', () => {
  const error = (...argv: string[]): unknown => (eventsCommand.prepare(argv) as { readonly error?: unknown }).error;

  it.each([
    [
      ['--server', 'ftp://x'],
      'invalid argument "ftp://x" for "--server" flag: must be an http:// or https:// URL without a user, a query and a fragment',
    ],
    [['--token-file', 'x'], '--token-file and --certificate-authority are for --server; a kubeconfig has its own'],
    [
      ['--server', 'http://example.com', '--token-file', 'x'],
      '--token-file needs an https URL: a token is not sent unencrypted over a network',
    ],
    [['--server', 'http://localhost:1', '--certificate-authority', 'x'], '--certificate-authority needs an https URL'],
    [['--server', 'https://a', '--context', 'x'], '--server excludes --kubeconfig and --context'],
    [['-A', '-n', 'x'], '--namespace and --all-namespaces exclude each other'],
    [['--for', 'pod'], 'invalid argument "pod" for "--for" flag: must be KIND/NAME, such as pod/web-0'],
    [
      ['--types', 'a,,b'],
      'invalid argument "a,,b" for "--types" flag: must be types separated by commas, such as Warning',
    ],
    [['--sort', 'up'], 'invalid argument "up" for "--sort" flag: must be newest or oldest'],
    [['-o', 'xml'], 'invalid argument "xml" for "--output" flag: must be table or wide or json or yaml'],
    [
      ['--api-group', 'events.k8s.io/v1'],
      'invalid argument "events.k8s.io/v1" for "--api-group" flag: must be an API group such as events.k8s.io',
    ],
    [['-x'], 'unexpected argument "-x"'],
    [['--n', 'x'], 'unknown flag: --n'],
  ])('refuses %j with the reason', (argv, text) => {
    expect(error(...argv)).toBe(text);
  });

  it('takes an empty API group for none', () => {
    expect(error('--api-group=')).toBeUndefined();
  });

  it('accepts letters for the flags that have one', () => {
    expect(error('-n', 'shop', '-w', '-o', 'json', '-oyaml')).toBeUndefined();
    expect((eventsCommand.prepare(['--help']) as { help: string }).help).toContain('  -n, --namespace name\n');
  });
});
