import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultOf, type FlagTable } from '../../src/cli/command-line/parse-command-line.js';
import { copyCommand } from '../../src/cli/copy/copy-command.js';
import { eventsCommand } from '../../src/cli/events/events-command.js';
import { probeCommand } from '../../src/cli/probe/probe-command.js';
import { serveCommand } from '../../src/cli/serve/serve-command.js';
import { root } from './source-files.js';

/** The flags of a command as the page shows them. */
function tableOf(flags: FlagTable): string {
  const cell = (text: string): string => text.replace(/[|<]/g, '\\$&');
  const rows = Object.entries(flags).map(([name, flag]) => {
    const { short, value, help } = flag;
    const names = short === undefined ? `\`--${name}\`` : `\`-${short}\`, \`--${name}\``;
    const head = value === undefined ? names : `${names} ${cell(value)}`;
    return `| ${head} | ${cell(defaultOf(flag))} | ${cell(help)} |`;
  });
  return ['| flag | default | |', '|---|---|---|', ...rows, ''].join('\n');
}

it.each([serveCommand, copyCommand, probeCommand, eventsCommand])(
  'docs/standalone.md has the table of the flags of $name',
  ({ flags }) => {
    // A failure prints the expected table.
    expect(readFileSync(join(root, 'docs/standalone.md'), 'utf8')).toContain(tableOf(flags));
  },
);
