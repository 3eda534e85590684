import type { ChildProcess } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';

const running = new Set<ChildProcess>();

function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Ends a child with this process, also when a test fails or is interrupted. */
export function ownProcess(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', endAll);
  running.add(child);
  child.once('close', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', endAll);
  });
}

/** The processes that a process has started and that still run, the oldest first. */
export async function childrenOf(pid: number): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (/^\d+$/.test(entry) && (await parentOf(Number(entry))) === pid) found.push(Number(entry));
  }
  return found.sort((one, other) => one - other);
}

/** Whether a process of any user still runs. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await parentOf(pid)) !== undefined;
}

/** `undefined` for a process that has ended, zombies included. */
async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || parent === undefined ? undefined : Number(parent);
}
