import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FlagTable } from '../../src/cli/command-line/parse-command-line.js';
import { copyFlags } from '../../src/cli/copy/copy-command.js';
import { eventsFlags } from '../../src/cli/events/events-command.js';
import { probeFlags } from '../../src/cli/probe/probe-command.js';
import { serveFlags } from '../../src/cli/serve/flags.js';
import { root } from './source-files.js';

/** The flags of a command as the page shows them. */
function tableOf(flags: FlagTable): string {
  const cell = (text: string): string => text.replace(/[|<]/g, '\\$&');
  const rows = Object.entries(flags).map(([name, { short, value, fallback, shownDefault = fallback, help }]) => {
    const names = short === undefined ? `\`--${name}\`` : `\`-${short}\`, \`--${name}\``;
    const head = value === undefined ? names : `${names} ${cell(value)}`;
    return `| ${head} | ${cell(shownDefault)} | ${cell(help)} |`;
  });
  return ['| flag | default | |', '|---|---|---|', ...rows, ''].join('\n');
}

it.each([
  ['serve', serveFlags],
  ['copy', copyFlags],
  ['probe', probeFlags],
  ['events', eventsFlags],
])('docs/standalone.md has the table of the flags of %s', (_, flags) => {
  // The table that is expected is what the failure prints.
  expect(readFileSync(join(root, 'docs/standalone.md'), 'utf8')).toContain(tableOf(flags));
});
