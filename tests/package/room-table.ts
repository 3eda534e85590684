import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source-files.js';

/** A package or built-in that a room may import. */
export interface OutsideRule {
  /** `yaml`, `node:zlib`, or `node:*` for every built-in. */
  readonly name: string;
  /** The folder or file of `src/` it is confined to; the whole room where the table names none. */
  readonly within: string;
  /** Only through `import()`. */
  readonly lazy: boolean;
}

export interface Room {
  /** From `src/`, with its slash: `http/`. The entry files are the room `''`. */
  readonly name: string;
  /** Rooms, folders or files it may import, or everything; `''` is the entry files. */
  readonly inside: readonly string[] | 'everything';
  readonly outside: readonly OutsideRule[];
}

const NOTHING = new Set(['–', '-', '']);

/** Reads the room table of the architecture page. */
export function readRoomTable(text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')): Room[] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => /^\|\s*room\s*\|/.test(line));
  if (head < 0) throw new Error('docs/architecture.md has no table that starts with "| room |"');
  const rooms: Room[] = [];
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith('|')) break;
    const [name = '', , inside = '', outside = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    for (const room of name.startsWith('entries') ? [''] : quoted(name)) {
      rooms.push({ name: room, inside: readInside(inside), outside: readOutside(outside, room) });
    }
  }
  return rooms;
}

/** Rooms that the page opens to all in the sentence below its table. */
export function readOpenRooms(text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')): string[] {
  const sentence = /^(.*) are open to all\./m.exec(text)?.[1];
  return sentence === undefined ? [] : quoted(sentence);
}

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
}

function readInside(cell: string): Room['inside'] {
  if (cell === 'everything') return cell;
  if (NOTHING.has(cell)) return [];
  return /^entries\b/.test(cell) ? ['', ...quoted(cell)] : quoted(cell);
}

/** `name` (`where`), lazily — the place and the word are optional, and the word may stand inside the parentheses. */
function readOutside(cell: string, room: string): OutsideRule[] {
  const rules: OutsideRule[] = [];
  for (const match of cell.matchAll(/`([^`]+)`(?:\s*\(([^)]*)\))?(,\s*lazily)?/g)) {
    const [, name = '', place = '', after] = match;
    const within = quoted(place)[0] ?? room;
    rules.push({ name, within, lazy: after !== undefined || place.includes('lazily') });
  }
  return rules;
}

/** The room a file belongs to: the one with the longest matching name. */
export function roomOf(rooms: readonly Room[], path: string): Room | undefined {
  if (!path.includes('/')) return rooms.find((room) => room.name === '');
  return rooms
    .filter((room) => room.name !== '' && path.startsWith(room.name))
    .sort((a, b) => b.name.length - a.name.length)[0];
}
