import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { EventStore } from 'kube-vitals';
import { sampleEvent } from 'kube-vitals/testing';

/** What a writer reported about one event: its last acknowledged version and what was attempted after that. */
interface Entry {
  acknowledged: { version: number; revision: number } | undefined;
  attempted: number | undefined;
}

/** What a writer reported. */
export interface Ledger {
  readonly entries: Map<string, Entry>;
  readonly revisions: number[];
  readonly failures: string[];
  readonly words: Map<string, string>;
}

/** A writer in a process of its own. */
export interface Writer {
  readonly process: ChildProcess;
  readonly ledger: Ledger;
  /** Resolves once it has printed the word, or has ended. */
  said(word: string): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  readonly ended: Promise<number | null>;
}

const program = fileURLToPath(new URL('writer.mjs', import.meta.url));

function note(ledger: Ledger, line: string): void {
  const [word = '', ...rest] = line.split(' ');
  const [name = '', version = '', revision = ''] = rest;
  if (word === 't' || word === 'a') {
    const entry = ledger.entries.get(name) ?? { acknowledged: undefined, attempted: undefined };
    ledger.entries.set(name, entry);
    if (word === 't') entry.attempted = Number(version);
    else {
      entry.attempted = undefined;
      entry.acknowledged = { version: Number(version), revision: Number(revision) };
      ledger.revisions.push(Number(revision));
    }
  } else if (word === 'f') ledger.failures.push(rest.join(' '));
  else ledger.words.set(word, rest.join(' '));
}

/** Starts a writer, under another program (`prlimit …`) if one is given. */
export function startWriter(args: readonly string[], under: readonly string[] = []): Writer {
  const ledger: Ledger = { entries: new Map(), revisions: [], failures: [], words: new Map() };
  const [command = '', ...rest] = [...under, process.execPath, program, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const waiting = new Set<() => void>();
  let unread = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (unread + chunk).split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) note(ledger, line);
    for (const check of waiting) check();
  });
  const ended = once(child, 'close').then(() => {
    for (const check of waiting) check();
    return child.exitCode;
  });
  return {
    process: child,
    ledger,
    ended,
    said: (word) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!ledger.words.has(word) && child.exitCode === null && child.signalCode === null) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The result of comparing a store with what a writer reported. */
export interface Findings {
  acknowledged: number;
  lost: number;
  wrong: number;
  duplicates: number;
  missingInFeed: number;
}

function bytesOf(name: string, version: number): string {
  const event = sampleEvent({ name, note: `version ${version} ${'x'.repeat(600)}` });
  return new TextDecoder().decode(event.bytes);
}

/** Compares what is stored with what was acknowledged, byte for byte, and the feed after `from` with the revisions. */
export async function examine(store: EventStore, ledger: Ledger, from: number): Promise<Findings> {
  const findings = { acknowledged: ledger.revisions.length, lost: 0, wrong: 0, duplicates: 0, missingInFeed: 0 };
  for (const [name, { acknowledged, attempted }] of ledger.entries) {
    const record = await store.get({ namespace: 'default', name });
    const found = record === undefined ? -1 : undefined;
    const possible = [acknowledged?.version ?? -1, ...(attempted === undefined ? [] : [attempted])];
    const fits = possible.some((version) =>
      record === undefined
        ? version === found
        : version >= 0 && new TextDecoder().decode(record.event.bytes) === bytesOf(name, version),
    );
    if (!fits && record === undefined) findings.lost++;
    else if (!fits) findings.wrong++;
    else if (acknowledged && record && attempted === undefined && record.revision !== acknowledged.revision)
      findings.wrong++;
  }
  findings.duplicates = ledger.revisions.length - new Set(ledger.revisions).size;
  const last = Math.max(from, ...ledger.revisions);
  const inFeed = new Set<number>();
  let position = from;
  if (last > from) {
    for await (const batch of store.changes({ after: from })) {
      for (const { revision } of batch) {
        if (revision <= position) findings.duplicates++;
        position = revision;
        inFeed.add(revision);
      }
      if (position >= last) break;
    }
  }
  findings.missingInFeed = ledger.revisions.filter((revision) => !inFeed.has(revision)).length;
  return findings;
}
