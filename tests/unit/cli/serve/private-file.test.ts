import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adminToken } from '../../../../src/cli/serve/preparation.js';
import { ownCertificate } from '../../../../src/cli/serve/certificates.js';
import { storeKubeconfig } from '../../../../src/cli/serve/kubeconfig.js';
import { preparePrivateDirectory, readIfThere, writePrivateFile } from '../../../../src/cli/serve/private-file.js';

/** The code with which the disk refuses what is written. */
const disk = vi.hoisted(() => ({ refuses: '', makes: '' }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const actual = await importOriginal<typeof import('node:fs/promises')>();
  const refusal = (code: string, call: string): Error => Object.assign(new Error(`${code}: ${call}`), { code });
  return {
    ...actual,
    writeFile: async (...[path, content, options]: Parameters<typeof actual.writeFile>) => {
      if (disk.refuses === '') return actual.writeFile(path, content, options);
      // As on a full disk: the file is there, and takes nothing.
      await actual.writeFile(path, '', options);
      throw refusal(disk.refuses, 'write');
    },
    mkdir: async (...args: Parameters<typeof actual.mkdir>) => {
      const above = await actual.stat(dirname(String(args[0]))).then(
        () => true,
        () => false,
      );
      // As on a read-only file system, also for what is there already.
      if (disk.makes !== '' && above) throw refusal(disk.makes, 'mkdir');
      return actual.mkdir(...args);
    },
  };
});

const DAY = 86_400_000;
const TEMPORARY = '0b2c1f6e-8a51-4c3e-9d7a-0123456789ab';
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'standalone-'));
});
afterEach(() => {
  [disk.refuses, disk.makes] = ['', ''];
  rmSync(dir, { recursive: true, force: true });
});

describe('writePrivateFile', () => {
  it('replaces a file atomically, readable by its owner only', async () => {
    await writePrivateFile(join(dir, 'a', 'file'), 'one');
    await writePrivateFile(join(dir, 'a', 'file'), 'two');
    expect(readFileSync(join(dir, 'a', 'file'), 'utf8')).toBe('two');
    expect(statSync(join(dir, 'a', 'file')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(dir, 'a'))).toEqual(['file']);
  });

  it.each([
    ['ENOSPC', 'no space is left on the device (ENOSPC)'],
    ['EROFS', 'the file system is read-only (EROFS)'],
    ['EODD', 'EODD'],
  ])(
    'keeps the old file and leaves no other when the disk refuses with %s, and explains what to do',
    async (code, words) => {
      const path = join(dir, 'file');
      await writePrivateFile(path, 'old');
      disk.refuses = code;
      await expect(writePrivateFile(path, 'new')).rejects.toThrow(
        `cannot write ${path}: ${words}; choose another directory with --data-dir`,
      );
      expect(readFileSync(path, 'utf8')).toBe('old');
      expect(readdirSync(dir)).toEqual(['file']);
    },
  );
});

describe('preparePrivateDirectory', () => {
  it('creates it for its owner only, and does nothing if it exists', async () => {
    await preparePrivateDirectory(join(dir, 'a', 'b'));
    expect(statSync(join(dir, 'a', 'b')).mode & 0o777).toBe(0o700);
    await preparePrivateDirectory(join(dir, 'a', 'b'));
  });

  it('names the reason and the flag, however much of the path is missing', async () => {
    disk.makes = 'EROFS';
    for (const path of [join(dir, 'data'), join(dir, 'a', 'b', 'data')]) {
      await expect(preparePrivateDirectory(path)).rejects.toThrow(
        `cannot create the directory ${path}: the file system is read-only (EROFS); choose another directory with --data-dir`,
      );
    }
    await preparePrivateDirectory(dir);
  });

  it('reports that a file has that name', async () => {
    writeFileSync(join(dir, 'data'), '');
    await expect(preparePrivateDirectory(join(dir, 'data'))).rejects.toThrow('there is a file of that name (EEXIST)');
  });

  it('removes the remains of interrupted writes, and nothing else', async () => {
    const old = new Date(Date.now() - DAY);
    const names = [`admin-token.${TEMPORARY}`, `ca.key.${TEMPORARY}`, `notes.${TEMPORARY}`, 'events.db'];
    for (const name of names) {
      writeFileSync(join(dir, name), '');
      utimesSync(join(dir, name), old, old);
    }
    writeFileSync(join(dir, `kubeconfig.${TEMPORARY}`), 'being written');
    await preparePrivateDirectory(dir);
    expect(readdirSync(dir).sort()).toEqual(['events.db', `kubeconfig.${TEMPORARY}`, `notes.${TEMPORARY}`]);
  });
});

describe('readIfThere', () => {
  it('distinguishes a missing file from one that cannot be read', async () => {
    expect(await readIfThere(join(dir, 'nope'))).toBeUndefined();
    await expect(readIfThere(dir)).rejects.toThrow(`cannot read ${dir}: it is a directory (EISDIR)`);
  });
});

describe('a start on a full disk', () => {
  it('uses the existing token and certificate', async () => {
    const token = await adminToken(dir);
    const certificate = await ownCertificate(dir, '127.0.0.1');
    disk.refuses = 'ENOSPC';
    expect(await adminToken(dir)).toBe(token);
    expect(await ownCertificate(dir, '127.0.0.1')).toEqual(certificate);
  });

  it('keeps the kubeconfig of an earlier start, and reports if it is out of date', async () => {
    const path = join(dir, 'kubeconfig');
    const log: string[] = [];
    const store = (config: string) => storeKubeconfig(path, config, (line) => void log.push(line));
    disk.refuses = 'ENOSPC';
    await expect(store('one')).rejects.toThrow(/kubeconfig: no space is left/);
    disk.refuses = '';
    await store('one');
    disk.refuses = 'ENOSPC';
    await store('one');
    expect(log).toEqual([]);
    await store('two');
    expect(log).toEqual([expect.stringMatching(/no space is left .*may name another port or certificate$/)]);
    expect(readFileSync(path, 'utf8')).toBe('one');
  });

  it('creates the kubeconfig again when a crash has left half of it', async () => {
    writeFileSync(join(dir, 'kubeconfig'), 'apiVer');
    await storeKubeconfig(join(dir, 'kubeconfig'), 'apiVersion: v1', () => undefined);
    expect(readFileSync(join(dir, 'kubeconfig'), 'utf8')).toBe('apiVersion: v1');
  });

  it('renews certificates in memory, as long as the authority that clients trust is valid', async () => {
    const first = await ownCertificate(dir, '127.0.0.1');
    const log: string[] = [];
    const at = (days: number) =>
      ownCertificate(dir, '127.0.0.1', Date.now() + days * DAY, (line) => void log.push(line));
    disk.refuses = 'ENOSPC';
    const renewed = await at(350);
    expect([renewed.ca, renewed.cert === first.cert]).toEqual([first.ca, false]);
    expect(log.splice(0)).toEqual([expect.stringMatching(/server\.key: no space .*the next start creates another$/)]);
    expect((await at(3630)).ca).toBe(first.ca);
    expect(log.join()).toContain('the stored authority is used until it expires');
    await expect(at(3651)).rejects.toThrow(/ca\.key: no space is left.*--cert-dir/);
  });

  it('fails with the reason if it is the first one', async () => {
    disk.refuses = 'ENOSPC';
    await expect(adminToken(dir)).rejects.toThrow(/admin-token: no space is left .*--data-dir/);
    await expect(ownCertificate(dir, '127.0.0.1')).rejects.toThrow(/ca\.key: no space is left/);
    expect(readdirSync(dir)).toEqual([]);
  });
});
