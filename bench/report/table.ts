import type { Figure } from '../figures.js';
import { targets } from '../targets.js';
import { nodeMajor, type BaselineFigure } from './baseline.js';
import { bound, change, shown, spread, verdict } from './verdict.js';

/** The figures as a table for the terminal. Only a full run is compared with the baseline. */
export function table(figures: readonly Figure[], baseline: readonly BaselineFigure[]): string {
  const byId = new Map(baseline.filter(({ node }) => node === nodeMajor).map((figure) => [figure.id, figure]));
  const rows = figures.map((figure) => {
    const target = targets.find(({ id }) => id === figure.id);
    const against = change(figure, byId.get(figure.id));
    return [figure.id, shown(figure), spread(figure), target ? bound(target) : '', verdict(figure, target), against];
  });
  return aligned([['figure', 'median', 'spread', 'target', '', 'baseline'], ...rows]);
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
