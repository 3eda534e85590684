import { writeFileSync } from 'node:fs';
import type { Phase, Scenario } from '../phases/contract.js';
import { targets } from '../targets.js';
import type { BaselineFigure } from './baseline.js';
import { bound, shown, spread, verdict } from './verdict.js';

const file = new URL('../../docs/performance.md', import.meta.url);

const INTRODUCTION = `# Performance

This page is written by \`npm run bench -- --write\` from \`bench/baseline.json\`. Do not edit it: change \`bench/report/page.ts\`, or
measure again.

Figures without a unit are ratios: to the *floor* in the same run on the same machine, unless another base is named. The floor is
a bare \`node:http\` server (\`bench/servers/floor.ts\`) that parses and stringifies once for a create, keeps the bytes of responses in
a Map and checks nothing. The server of this library has validation, managed fields, the core/v1 view, and the tokens and rules that
the standalone program reads from its files. Rates and MB/s: more is better; CPU for an operation, latencies and costs: less is
better. Milliseconds and MB depend on the machine, and are for orientation only. The range in parentheses after a median, and the
column *spread*, contain nine of ten slices.

Each round starts fresh processes. The servers are measured alternately, and a ratio compares a slice with the slice of the floor
next to it. The client is a separate process, which reports when it was the bottleneck. Client and server share the machine. Events
of this library are about half again as large as those of the floor, because of their managed fields, so lists are compared by
bytes. The delay of the event loop is measured with a timer of one millisecond, which is included.

Requests are those of real clients. An update is a get and a PUT of the whole object with the fields that the server has set, and
both are counted, as are the get and the merge patch of a patch with the resourceVersion. Creates come from \`@kubernetes/client-node\`
unless the phase names another client. Where a client sends protobuf, the floor, which reads JSON only, gets the JSON of client-go.

All phases but \`cold\` are warm: the first slice in a process has a longer warm-up, so that code is compiled. \`cold\` is the first
second of each kind of request in a fresh process, for the floor too.

Lists are read repeatedly while nothing is written, so that the memory store serves them from its cache;
[decision 31](decisions/0031-memory-store-caches-lists.md) has the cost of a list that is read for the first time. The latency of a
watch frame is measured from the moment at which its event was due, by ten watchers at equal distances among all; frames of the first
three seconds after the watchers were opened do not count.

Express, Fastify and Hono serve this library's handler as a service would, and are compared with *bare* routes of the same framework
(\`bench/servers/bare.ts\`), which do what the floor does. \`of-floor\` is a ratio to the floor itself, as are the rows of the bare
routes.

Measure on your own machine with \`npm run bench\`; \`npm run bench -- --help\` lists the options, including other servers and
databases. Databases should be empty: the benchmark fills them.
`;

/** Writes docs/performance.md. */
export function writePage(figures: readonly BaselineFigure[], parts: readonly (Phase | Scenario)[]): void {
  writeFileSync(file, pageOf(figures, parts));
}

/** The text of docs/performance.md. */
export function pageOf(figures: readonly BaselineFigure[], parts: readonly (Phase | Scenario)[]): string {
  const sections = parts.flatMap((part) => {
    const own = figures.filter(({ id }) => id.startsWith(`${part.id}.`) || id.startsWith(`${part.id}-`));
    return own.length === 0 ? [] : [`### ${part.id}: ${part.title}\n\n${results(own)}\n\n${measured(own)}\n`];
  });
  return `${INTRODUCTION}\n## Targets\n\n${targetRows(figures)}\n\n## Results\n\n${sections.join('\n')}`;
}

function targetRows(figures: readonly BaselineFigure[]): string {
  const rows = targets.map((target) => {
    const found = figures.find(({ id }) => id === target.id);
    const cells = found ? [shown(found), spread(found), verdict(found, target)] : ['', '', 'not measured'];
    return [target.id, bound(target), ...cells];
  });
  return table(['figure', 'target', 'median', 'spread', ''], rows);
}

/** More metrics than this are the rows of a table, with a column for each server. */
const MAX_METRIC_COLUMNS = 4;

/** A row for each server and a column for each metric, or the other way round where there are many metrics. */
function results(figures: readonly BaselineFigure[]): string {
  const all = figures.map((figure) => {
    const [phase = '', metric = '', server = ''] = figure.id.split('.');
    return { phase, metric, server, text: [shown(figure), spread(figure) && `(${spread(figure)})`].join(' ').trim() };
  });
  const phases = distinct(all.map(({ phase }) => phase)).sort((a, b) => rank(a) - rank(b));
  const metrics = distinct(all.map(({ metric }) => metric));
  const [down, across] =
    metrics.length > MAX_METRIC_COLUMNS ? (['metric', 'server'] as const) : (['server', 'metric'] as const);
  const columns = distinct(all.map((figure) => figure[across]));
  const rows = phases.flatMap((phase) => {
    const own = all.filter((figure) => figure.phase === phase);
    return distinct(own.map((figure) => figure[down])).map((name) => [
      ...(phases.length > 1 ? [phase] : []),
      name,
      ...columns.map((column) => own.find((figure) => figure[down] === name && figure[across] === column)?.text ?? ''),
    ]);
  });
  const head = down === 'server' ? '' : down;
  return table([...(phases.length > 1 ? ['phase'] : []), head, ...columns], rows);
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

/** Which servers were measured when. */
function measured(figures: readonly BaselineFigure[]): string {
  const servers = new Map<string, Set<string>>();
  for (const { id, node, date } of figures) {
    const when = `Node ${node}, ${date}`;
    servers.set(when, (servers.get(when) ?? new Set()).add(id.split('.')[2] ?? ''));
  }
  const whens = [...servers.keys()].sort().reverse();
  if (whens.length === 1) return `Measured with ${whens[0]}.`;
  return `Measured with ${whens.map((when) => `${when}: ${distinct([...(servers.get(when) ?? [])]).join(', ')}`).join('; ')}.`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Sizes in the order of their numbers. */
const rank = (phase: string): number => Number(/^[a-z]+-(\d+)$/.exec(phase)?.[1] ?? 0);
