import { untilAborted } from '../../clock/abortable.js';
import { nextTurn } from '../../clock/clock.js';
import { messageOf } from '../../model/error-message.js';
import { isForbidden, isUnauthorized, watchEvents } from '../../client.js';
import type { Event, EventsClient, EventSelection } from '../../client.js';
import { SIGNAL_EXIT_CODES, type ProcessContext, type TextOutput } from '../command-line/command.js';
import { connect, type ConnectionFlags } from './connect.js';
import { createEventDocuments, type Printer } from './event-documents.js';
import { createEventTable, lastSeenAt } from './event-table.js';
import { filterOf, type EventFilter, type ForObject } from './filter.js';
import { safeDocument, safeText } from '../../json/safe-text.js';

export interface EventsFlags extends ConnectionFlags {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly watch: boolean;
  readonly for: ForObject | undefined;
  readonly types: readonly string[];
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
  readonly sort: '' | 'newest' | 'oldest';
}

const MAX_EVENTS = 1_000_000;

const WITHOUT_CREDENTIALS = 'without credentials: give --token-file, or --kubeconfig in place of --server';

export async function runEvents(flags: EventsFlags, context: ProcessContext): Promise<number> {
  const { stdout, stderr, onSignal } = context;
  const stopping = new AbortController();
  let interrupted = 0;
  const off = onSignal((name) => {
    interrupted = SIGNAL_EXIT_CODES[name];
    stopping.abort();
  });
  const { signal } = stopping;
  try {
    // As kubectl: it says why there are no credentials, such as a session that has expired.
    const { client, close } = await connect(flags, signal, (text) => stderr.write(safeDocument(text)));
    try {
      const filter = filterOf(flags.for, flags.types);
      const namespace = flags.allNamespaces ? null : (flags.namespace ?? client.namespace ?? 'default');
      const selection = { namespace, fieldSelector: filter.fieldSelector };
      const printer = await printerOf(flags, context.colour === true);
      const { events, resourceVersion } = await existing(client, selection, filter, signal);
      const order = flags.sort || (flags.watch ? 'oldest' : 'newest');
      events.sort((one, other) => (lastSeenAt(one) - lastSeenAt(other)) * (order === 'newest' ? -1 : 1));
      if (events.length === 0 && !flags.watch && isTable(flags)) {
        stderr.write(`No events found${namespace === null ? '' : ` in ${safeText(namespace)} namespace`}.\n`);
        return 0;
      }
      if (events.length > 0 || !flags.watch) {
        for (const part of printer.existing(events)) {
          await written(stdout, part, signal);
          signal.throwIfAborted();
        }
      }
      if (!flags.watch) return 0;
      const changes = watchEvents({
        client,
        ...selection,
        // A list without a revision: the watch shows what has changed since a list of its own.
        ...(resourceVersion === '' ? { since: 'now', watchList: false } : { resourceVersion }),
        signal,
        observe(observation) {
          if (observation.type === 'recovered') stderr.write('the server responds again\n');
          if (observation.type === 'error') stderr.write(`${reasonOf(observation.error)}; trying again\n`);
        },
      });
      for await (const { type, event } of changes) {
        // Deletions are not shown: events expire.
        if (type === 'deleted' || !filter.matches(event)) continue;
        // It is rejected only where the signal ends the loop as well.
        await written(stdout, printer.change(event), signal).catch(() => undefined);
      }
      return 0;
    } finally {
      await close();
    }
  } catch (error) {
    // What exists was not shown completely.
    if (signal.aborted) return interrupted;
    const isAnonymous = flags.server !== undefined && flags.tokenFile === undefined;
    const isRefused = isForbidden(error) || isUnauthorized(error);
    stderr.write(`error: ${reasonOf(error)}${isAnonymous && isRefused ? ` (requested ${WITHOUT_CREDENTIALS})` : ''}\n`);
    return 1;
  } finally {
    off();
  }
}

/** The client names its own options, for which there are flags. */
const reasonOf = (error: unknown): string =>
  safeText(messageOf(error))
    .replace('set the option group)', 'set --api-group)')
    .replace(/ the option context$/, ' --context');

/** Until a slow reader has taken the text. Signals are noticed meanwhile, and that the reader has closed the pipe. */
async function written(output: TextOutput, text: string, signal: AbortSignal): Promise<void> {
  const isTaken = output.write(text) !== false;
  await (isTaken ? nextTurn() : untilAborted(new Promise<void>((drained) => output.once?.('drain', drained)), signal));
}

const isTable = ({ output }: EventsFlags): boolean => output === 'table' || output === 'wide';

async function existing(
  client: EventsClient,
  selection: EventSelection,
  { matches }: EventFilter,
  signal: AbortSignal,
): Promise<{ readonly events: Event[]; readonly resourceVersion: string }> {
  let events: Event[] = [];
  let resourceVersion = '';
  for await (const page of client.list({ ...selection, signal }).pages()) {
    if (page.restarted) events = [];
    resourceVersion = page.resourceVersion;
    for (const event of page.items) if (matches(event)) events.push(event);
    if (events.length > MAX_EVENTS) throw new Error(`there are more than ${MAX_EVENTS} events: select some of them`);
  }
  return { events, resourceVersion };
}

async function printerOf(flags: EventsFlags, colour: boolean): Promise<Printer> {
  const { output } = flags;
  if (output === 'json' || output === 'yaml') return createEventDocuments(output, flags.watch);
  const table = createEventTable({ withNamespace: flags.allNamespaces, wide: output === 'wide', colour });
  return { existing: table, change: (event) => [...table([event])].join('') };
}
