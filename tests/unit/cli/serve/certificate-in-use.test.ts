import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseCommandLine } from '../../../../src/cli/command-line/parse-command-line.js';
import type { CertificateInUse } from '../../../../src/cli/serve/certificate-in-use.js';
import { ownCertificate } from '../../../../src/cli/serve/certificates.js';
import { completeFlags, serveFlags } from '../../../../src/cli/serve/flags.js';
import { runPrepared } from '../../../../src/cli/serve/preparation.js';
import { fakeClock, type FakeClock } from '../../../../src/testing/fake-clock.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** A chain that was not written to its end. */
const CUT_OFF = '\n-----BEGIN CERTIFICATE-----\nMIIB\n';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'standalone-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string): string => join(dir, name);
const given = (): string[] => [`--tls-cert-file=${file('tls.crt')}`, `--tls-private-key-file=${file('tls.key')}`];

/** Makes a pair, and puts it at the paths of the flags. */
async function giveNewPair(...parts: readonly ('crt' | 'key')[]): Promise<string> {
  const made = await ownCertificate(file('made'), '127.0.0.1');
  for (const part of parts) copyFileSync(join(file('made'), `server.${part}`), file(`tls.${part}`));
  rmSync(file('made'), { recursive: true });
  return made.cert;
}

interface Run {
  readonly certificate: CertificateInUse;
  readonly log: readonly string[];
  readonly clock: FakeClock;
  /** Lets some minutes pass, and waits in each until the files were read. */
  readonly minutes: (count: number) => Promise<void>;
  /** Lets minutes pass until the condition holds. */
  readonly until: (condition: () => boolean) => Promise<void>;
}

/** Starts as the server does, and ends with the work of a test. */
async function started(argv: readonly string[], work: (run: Run) => Promise<void>): Promise<void> {
  const parsed = parseCommandLine(serveFlags, [], [`--data-dir=${file('data')}`, ...argv]);
  if (!('flags' in parsed)) throw new Error(JSON.stringify(parsed));
  const log: string[] = [];
  const write = (line: string): unknown => log.push(line.trimEnd());
  const context = { stdout: { write }, stderr: { write }, pid: 1, onSignal: () => () => undefined };
  const made = fakeClock({ now: Date.now() * 1_000 });
  // The next check waits a minute, once the last one is over.
  let isWaiting = false;
  const clock: FakeClock = {
    ...made,
    setTimer(callback, delayMs) {
      if (delayMs !== MINUTE) return made.setTimer(callback, delayMs);
      isWaiting = true;
      return made.setTimer(() => {
        isWaiting = false;
        callback();
      }, delayMs);
    },
  };
  let hasEnded = false;
  const minutes = async (count: number): Promise<void> => {
    for (let passed = 0; passed < count; passed++) {
      clock.advance(MINUTE);
      if (hasEnded) await setTimeout(20);
      else await vi.waitFor(() => expect(isWaiting).toBe(true), { interval: 2 });
    }
  };
  const until = async (condition: () => boolean): Promise<void> => {
    for (let passed = 0; !condition(); passed++) {
      if (passed > 500) throw new Error(`nothing has happened: ${log.join()}`);
      await minutes(1);
    }
  };
  const flags = completeFlags(parsed.flags);
  const code = await runPrepared(
    flags,
    context,
    async ({ certificate }) => {
      await work({ certificate, log, clock, minutes, until });
      return 0;
    },
    clock,
  );
  hasEnded = true;
  expect([code, ...log.filter((line) => line.startsWith('error: '))]).toEqual([0]);
}

describe('a certificate that was given', () => {
  it('is replaced when its files are, after less than a minute', async () => {
    const first = await giveNewPair('crt', 'key');
    await started(given(), async ({ certificate, log, clock, minutes }) => {
      expect(certificate.current().cert).toBe(first);
      const told: string[] = [];
      certificate.onReplaced(({ cert }) => void told.push(cert));
      await minutes(2);
      const second = await giveNewPair('crt', 'key');
      clock.advance(MINUTE);
      await expect.poll(() => certificate.current()).toMatchObject({ cert: second, ca: second });
      await minutes(3);
      expect(told).toEqual([second]);
      expect(log).toEqual(['the certificate of the HTTPS port was replaced; open connections keep the former one']);
    });
  });

  it.each<[string, () => unknown, RegExp]>([
    ['of which one file is replaced', () => giveNewPair('crt'), /is not the PEM key of/],
    ['that is no PEM', () => writeFileSync(file('tls.crt'), 'half of it'), /is not the PEM key of/],
    ['whose chain is damaged', () => appendFileSync(file('tls.crt'), CUT_OFF), /cannot be used for TLS: /],
    ['that is removed', () => rmSync(file('tls.key')), /: --tls-private-key-file: there is no file/],
  ])(
    'stays in use for a pair %s, which is logged once, and is replaced by the next good one',
    async (_, spoil, why) => {
      const first = await giveNewPair('crt', 'key');
      await started(given(), async ({ certificate, log, minutes, until }) => {
        await spoil();
        await until(() => log.length > 0);
        await minutes(5);
        expect(log).toEqual([expect.stringMatching(/^the certificate of the HTTPS port stays as it is: /)]);
        expect(log[0]).toMatch(why);
        expect(certificate.current().cert).toBe(first);
        const second = await giveNewPair('crt', 'key');
        await until(() => certificate.current().cert === second);
      });
    },
  );

  it('is logged again when it is damaged for a second time', async () => {
    await giveNewPair('crt', 'key');
    await started(given(), async ({ log, until }) => {
      await giveNewPair('crt');
      await until(() => log.length === 1);
      await giveNewPair('crt', 'key');
      await until(() => log.length === 2);
      await giveNewPair('crt');
      await until(() => log.length === 3);
      expect(log[2]).toBe(log[0]);
    });
  });

  it('is read once from what can be read only once', async () => {
    const first = await giveNewPair('crt', 'key');
    await started(given(), async ({ certificate, log, minutes }) => {
      rmSync(file('tls.key'));
      execFileSync('mkfifo', [file('tls.key')]);
      await minutes(5);
      expect([certificate.current().cert, ...log]).toEqual([first]);
    });
  });

  it('is not read any more when the server has ended', async () => {
    const first = await giveNewPair('crt', 'key');
    let run: Run | undefined;
    await started(given(), (running) => Promise.resolve(void (run = running)));
    await giveNewPair('crt', 'key');
    await run?.minutes(3);
    expect(run?.certificate.current().cert).toBe(first);
  });
});

describe('the certificate that the server has made', () => {
  const validTo = (certificate: CertificateInUse): number =>
    Date.parse(new X509Certificate(certificate.current().cert).validTo);

  it('is renewed before it expires, under the same authority', async () => {
    await started([], async ({ certificate, log, clock, minutes, until }) => {
      const first = certificate.current();
      clock.setNow(clock.now() + 330 * DAY * 1_000);
      await minutes(3);
      expect(certificate.current()).toBe(first);
      clock.setNow(clock.now() + 10 * DAY * 1_000);
      await until(() => certificate.current() !== first);
      expect(validTo(certificate)).toBeGreaterThan(clock.now() / 1_000 + 360 * DAY);
      expect(certificate.current().ca).toBe(first.ca);
      expect(readFileSync(file('data/certs/server.crt'), 'utf8')).toBe(certificate.current().cert);
      expect(log).toHaveLength(1);
    });
  });

  it('stays in use until then, whatever happens to its files', async () => {
    await started([], async ({ certificate, log, minutes }) => {
      const first = certificate.current();
      rmSync(file('data/certs'), { recursive: true });
      await minutes(3);
      expect([certificate.current(), ...log]).toEqual([first]);
    });
  });
});
