import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();

function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Children end with us, also when a test fails or is interrupted. */
export function ownProcess(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', endAll);
  running.add(child);
  child.once('close', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', endAll);
  });
}
