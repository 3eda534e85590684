import { TYPE_COLUMN } from './event-rows.js';

const GAP = '   ';
const WARNING = '\u001b[33m';
const BOLD = '\u001b[1m';
const RESET = '\u001b[0m';

/**
 * Lays out rows below a head, in columns that are as wide as the widest cell so far. With `colour` the head is bold,
 * and types other than `Normal` are yellow.
 *
 * @returns a function that gives the lines of some rows; those of the first call begin with the head
 */
export function createTableText(
  head: readonly string[],
  colour: boolean,
): (rows: readonly (readonly string[])[]) => string {
  const widths = head.map((name) => name.length);
  const typeAt = head.indexOf(TYPE_COLUMN);
  let begun = false;

  const line = (cells: readonly string[], paint: (text: string, at: number) => string): string =>
    `${cells
      .map(
        (cell, at) =>
          paint(cell, at) + (at === cells.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - cell.length) + GAP),
      )
      .join('')
      .trimEnd()}\n`;
  const paintHead = (text: string): string => (colour ? `${BOLD}${text}${RESET}` : text);
  const paintCell = (text: string, at: number): string =>
    colour && at === typeAt && text !== 'Normal' && text !== '' ? `${WARNING}${text}${RESET}` : text;

  return (rows) => {
    for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
    const first = begun ? '' : line(head, paintHead);
    begun = true;
    return first + rows.map((row) => line(row, paintCell)).join('');
  };
}
