import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The user that runs prlimit: the kernel requires that of the process, and does not always accept root. */
interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** Of util-linux. */
const PROGRAM = 'prlimit';

/** Whether the largest file a running process may write can be set from outside; otherwise one line says so. */
export function canLimitFiles(): boolean {
  if (spawnSync(PROGRAM, ['--version']).status === 0) return true;
  if (process.env['CI'] === 'true') throw new Error('prlimit is not installed');
  process.stdout.write('skipped: prlimit is not installed\n');
  return false;
}

/**
 * Limits the size of files that these processes write. Processes they start inherit it; ended processes are skipped.
 */
export function limitFiles(pids: readonly number[], bytes: number | 'unlimited', user: User = {}): void {
  for (const pid of pids) {
    // The soft limit only: not every user may raise the hard one again.
    const { status, stderr } = spawnSync(PROGRAM, ['--pid', String(pid), `--fsize=${bytes}:`], {
      encoding: 'utf8',
      ...user,
    });
    if (status !== 0 && existsSync(`/proc/${pid}`)) throw new Error(`prlimit: ${stderr}`);
  }
}
