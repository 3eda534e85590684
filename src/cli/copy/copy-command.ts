import { createCommand, type Command } from '../command-line/command.js';
import type { CopyTask } from './copy.js';
import { parseStoreUrl, withoutSecrets, type StoreChoice } from '../stores/store-url.js';

/** `kube-vitals copy FROM TO`. The engines are loaded when it runs. */
export const copyCommand: Command = createCommand<Pick<CopyTask, 'overwrite' | 'skipRefused'>>({
  name: 'copy',
  operands: ['FROM', 'TO'],
  summary: 'Copies all events of one store into another.',
  about: [
    'Copies all events of one store into another, with their bytes and expiry times.',
    '',
    'FROM and TO are sqlite:PATH, postgres://… or etcd://HOST:PORT,HOST:PORT/PREFIX, as --store of kube-vitals serve takes them.',
    'First stop everything that writes to FROM. The command may be stopped and run again: events that TO already has are',
    'counted and left alone. Revisions are those of TO, so clients list again before they watch.',
    '',
    'The exit code is 0 when TO has every event of FROM that has not expired, apart from those that --skip-refused leaves',
    'out; 1 when a store failed, TO refused an event, or TO has a different event of the same name; 2 when the command',
    'line cannot be carried out; 130 or 143 after SIGINT or SIGTERM.',
  ],
  flags: {
    overwrite: {
      help: 'Replaces events of TO that have the same name and are different. Without it they are left as they are and listed, and the exit code is 1.',
    },
    'skip-refused': {
      help: 'Leaves out and lists the events that TO refuses because of their size or name. Without it the first one ends the copy with exit code 1.',
    },
  },
  read({ overwrite, skipRefused }, from, to) {
    const task = { from: readStore('FROM', from), to: readStore('TO', to), overwrite, skipRefused };
    return async (context) => {
      const { runCopy } = await import('./copy.js');
      return runCopy(task, context);
    };
  },
});

const IN_MEMORY = {
  FROM: 'a store in memory is empty when the program starts',
  TO: 'a store in memory is lost when the program ends',
} as const;

function readStore(side: 'FROM' | 'TO', text: string): StoreChoice {
  try {
    const choice = parseStoreUrl(text);
    if (choice.kind === 'memory') throw new Error(IN_MEMORY[side]);
    return choice;
  } catch (error) {
    const shown = JSON.stringify(withoutSecrets(text));
    throw new Error(`invalid argument ${shown} for ${side}: ${(error as Error).message}`);
  }
}
