import { accessSync, constants, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, it } from 'vitest';

/** A kubectl on this machine. */
export interface KubectlBinary {
  /** Its file name, such as `kubectl` or `kubectl.1.31`. */
  readonly name: string;
  readonly path: string;
}

/** The message when no kubectl was found. */
const ABSENT = 'kubectl NOT FOUND on PATH: the tests with the real kubectl do not run. Install kubectl to run them.';

/**
 * The kubectls of this machine: `kubectl` on PATH first, then those named after a version (`kubectl.1.31`, `kubectl-v1.31.2`)
 * on PATH or beside the file that `kubectl` links to.
 */
function findKubectls(): readonly KubectlBinary[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const main = folders.map((folder) => join(folder, 'kubectl')).find(isExecutable);
  if (main === undefined) return [];
  const found = new Map([[realpathSync(main), 'kubectl']]);
  for (const folder of [...folders, dirname(realpathSync(main))]) {
    for (const name of namesIn(folder)) {
      if (!/^kubectl[-.]v?\d+\.\d+(\.\d+)?$/.test(name) || !isExecutable(join(folder, name))) continue;
      const path = realpathSync(join(folder, name));
      if (!found.has(path)) found.set(path, name);
    }
  }
  return [...found].map(([path, name]) => ({ path, name }));
}

/**
 * A suite that needs kubectl. Without one its tests are skipped, and a test in their place says why; in CI that test fails,
 * so that nothing is left out unnoticed.
 *
 * @param aloud whether a line on stderr says it too: in one suite, so that it is said once
 */
export function describeWithKubectl(
  name: string,
  body: (binaries: readonly KubectlBinary[]) => void,
  { aloud = false }: { readonly aloud?: boolean } = {},
): void {
  const binaries = findKubectls();
  const absent = binaries.length === 0;
  describe.skipIf(absent)(name, () => body(binaries));
  if (!absent) return;
  describe(name, () => {
    it('is found on PATH', ({ skip }) => {
      if (process.env['CI'] === 'true') throw new Error(ABSENT);
      if (aloud) process.stderr.write(`${ABSENT}\n`);
      skip(ABSENT);
    });
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
