import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';

const SHOWN = 25;

/** Entries that are no work: waiting, time outside of JavaScript, and starting and stopping the profiler. */
const NOT_WORK: ReadonlySet<string> = new Set(['(idle)', '(program)', '(root)', 'dispatch']);

/**
 * The functions in which a profile spent its time, most first: self time, and total time. Shares are of the time that
 * was work. Below them, the functions of our files by total time.
 */
export function profileText(file: string): string {
  const { nodes, samples = [], timeDeltas = [] } = JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const self = new Map<string, number>();
  const whole = new Map<string, number>();
  let total = 0;
  samples.forEach((sample, index) => {
    const time = timeDeltas[index] ?? 0;
    const stack = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const node = byId.get(id);
      if (node) stack.add(nameOf(node.callFrame));
    }
    const [name = ''] = stack;
    if (NOT_WORK.has(name)) return;
    total += time;
    self.set(name, (self.get(name) ?? 0) + time);
    for (const each of stack) whole.set(each, (whole.get(each) ?? 0) + time);
  });
  const line = ([name, time]: readonly [string, number]): string => `    ${percent(time / total)}  ${name}`;
  const most = (times: Map<string, number>): string[] =>
    [...times]
      .filter(([name]) => !NOT_WORK.has(name))
      .sort(([, a], [, b]) => b - a)
      .slice(0, SHOWN)
      .map(line);
  const ours = new Map([...whole].filter(([name]) => /\/dist\/|^\S+ dist\//.test(name)));
  return ['    by itself', ...most(self), '    of ours, with what was called', ...most(ours)].join('\n');
}

const percent = (share: number): string => `${(share * 100).toFixed(1).padStart(5)} %`;

function nameOf({ functionName, url, lineNumber }: Profiler.ProfileNode['callFrame']): string {
  const place = url === '' ? '' : ` ${url.replace(/^.*\/(?=[^/]*\/[^/]*$)/, '')}:${lineNumber + 1}`;
  return `${functionName || '(anonymous)'}${place}`;
}
