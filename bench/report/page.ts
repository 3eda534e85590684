import { writeFileSync } from 'node:fs';
import type { Phase, Scenario } from '../phases/contract.js';
import { targets } from '../targets.js';
import type { BaselineFigure } from './baseline.js';
import { bound, shown, spread, verdict } from './verdict.js';

const file = new URL('../../docs/performance.md', import.meta.url);

const INTRODUCTION = `# Performance

This page is written by \`npm run bench -- --write\` from \`bench/baseline.json\`. Do not edit it: change \`bench/report/page.ts\`, or
measure again.

Figures without a unit are ratios, in one run on one machine: to the *floor* unless another base is named. The floor is a bare
\`node:http\` server (\`bench/servers/floor.ts\`) that parses and stringifies once on a create, keeps ready bytes in a Map and checks
nothing. Ours has validation, managed fields, the core/v1 view, tokens and rules as the standalone program reads them from its
files. Rates and MB/s: more is better;
CPU an operation, latencies and costs: less is better. Milliseconds and MB belong to the machine that measured, and are for
orientation only. *spread* is where nine of ten slices lie.

Each round starts fresh processes; servers take turns, and a ratio is to the floor's slice next to it. The client is a process
of its own and says when it was the bottleneck. Client and server share the machine. Our events are larger than the floor's by
their managed fields (about half again), so lists are compared by bytes. The meter of event-loop delay ticks every millisecond,
which is included.

Requests are those of real clients. An update is a get and a PUT of the whole object with its server-set fields, and both
count as answers; so does a merge patch with the resourceVersion. Creates come from \`@kubernetes/client-node\` unless the phase
names another client; the floor, which reads JSON only, gets the JSON of client-go where ours gets protobuf.

All phases but \`cold\` are warm: their first slice in a process has a longer warm-up, so that code is compiled. \`cold\` is the first
second of each kind of request in a fresh process, for the floor too.

Lists are read over and over while nothing is written, so that the memory store serves them from what it has kept of the last
reading; [decision 31](decisions/0031-memory-store-caches-lists.md) has the cost of a list that is read for the first time.
Frames of a watch are timed from the moment their event was due, with
ten watchers at equal distances among all; those of the first three seconds after the watchers were opened do not count.

Express, Fastify and Hono have our handler as a service would mount it, and are compared to *bare* routes of the same framework
(\`bench/servers/bare.ts\`), which do what the floor does; \`of-floor\` is to the floor itself, and so are the rows of the bare
routes.

Measure on your own machine with \`npm run bench\`; \`npm run bench -- --help\` says what can be chosen, other servers and databases
included. Databases should be empty, and yours to fill.
`;

/** Writes docs/performance.md. */
export function writePage(figures: readonly BaselineFigure[], parts: readonly (Phase | Scenario)[]): void {
  const sections = parts.flatMap((part) => {
    const own = figures.filter(({ id }) => id.startsWith(`${part.id}.`) || id.startsWith(`${part.id}-`));
    return own.length === 0 ? [] : [`### ${part.id}: ${part.title}\n\n${rows(own)}\n`];
  });
  writeFileSync(file, `${INTRODUCTION}\n## Targets\n\n${targetRows(figures)}\n\n## Results\n\n${sections.join('\n')}`);
}

function targetRows(figures: readonly BaselineFigure[]): string {
  const lines = targets.map((target) => {
    const found = figures.find(({ id }) => id === target.id);
    const cells = found ? [shown(found), spread(found), verdict(found, target)] : ['', '', 'not measured'];
    return `| ${[target.id, bound(target), ...cells].join(' | ')} |`;
  });
  return ['| figure | target | median | spread | |', '|---|---|---|---|---|', ...lines].join('\n');
}

function rows(figures: readonly BaselineFigure[]): string {
  const ordered = [...figures].sort((a, b) => rank(a.id) - rank(b.id) || (a.id < b.id ? -1 : 1));
  const lines = ordered.map((figure) => {
    const [phase = '', metric = '', server = ''] = figure.id.split('.');
    return `| ${[server, phase, metric, shown(figure), spread(figure), `Node ${figure.node}, ${figure.date}`].join(' | ')} |`;
  });
  return ['| | phase | metric | median | spread | measured |', '|---|---|---|---|---|---|', ...lines].join('\n');
}

/** Sizes in the order of their numbers. */
const rank = (id: string): number => Number(/^[a-z]+-(\d+)\./.exec(id)?.[1] ?? 0);
