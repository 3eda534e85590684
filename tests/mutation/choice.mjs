// A checker plugin for Stryker, which is asked about all mutants before any of them runs. It accepts a sample of each
// room, or the mutants that scripts/mutation.mjs names: Stryker can do neither. Mutants that it rejects count as
// compile errors.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { inOrderOf, keysOf, roomOf } from './keys.mjs';

class Choice {
  static inject = ['options'];

  constructor({ choice }) {
    this.choice = choice;
  }

  async init() {}

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants) {
    const keys = await this.keysById(mutants);
    const chosen = this.choice.keys ? new Set(this.choice.keys) : this.sample([...keys.values()]);
    return Object.fromEntries(
      [...keys].map(([id, key]) => [
        id,
        chosen.has(key) ? { status: 'passed' } : { status: 'compileError', reason: 'not chosen' },
      ]),
    );
  }

  async keysById(mutants) {
    const keys = new Map();
    const inOrder = [...mutants].sort((a, b) => Number(a.id) - Number(b.id));
    for (const [path, ofFile] of groupByFile(inOrder)) {
      const source = await readFile(path, 'utf8');
      const found = ofFile.map(({ location, ...rest }) => ({ ...rest, line: location.start.line }));
      const file = relative(this.choice.root, path);
      keysOf(file, source, found).forEach((key, index) => keys.set(ofFile[index].id, key));
    }
    return keys;
  }

  sample(keys) {
    const { rooms, size, seed } = this.choice;
    return new Set(
      rooms.flatMap((room) => {
        const ofRoom = keys.filter((key) => roomOf(rooms, JSON.parse(key)[0]) === room);
        return inOrderOf(seed, ofRoom).slice(0, size ?? ofRoom.length);
      }),
    );
  }
}

function groupByFile(mutants) {
  const groups = new Map();
  for (const mutant of mutants) groups.set(mutant.fileName, [...(groups.get(mutant.fileName) ?? []), mutant]);
  return groups;
}

export const strykerPlugins = [{ kind: 'Checker', name: 'choice', injectableClass: Choice }];
