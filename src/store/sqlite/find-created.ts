import { keyText, sameBytes } from '../contract/keys.js';
import type { Revision } from '../contract/record.js';
import type { UnknownOutcomeOptions } from '../unknown-outcomes.js';
import { errorOf, type ReadArguments, type ReadKind, type ReadOperation, type ReadValue } from './protocol.js';
import { decoded, recordOf } from './records.js';
import type { WorkerHost } from './worker-host.js';

/** What a create has written, even if it was changed since. Fails with `expired` when history no longer shows it. */
export function createFindCreated(host: WorkerHost, path: string): NonNullable<UnknownOutcomeOptions['findCreated']> {
  const read = async <Kind extends ReadKind>(kind: Kind, given: ReadArguments<Kind>): Promise<ReadValue<Kind>> => {
    const [result] = await host.send('read', [{ kind, given } as ReadOperation]);
    if (result?.kind !== 'value') throw errorOf(result as Exclude<typeof result, undefined>);
    return result.value as ReadValue<Kind>;
  };
  return (key, event) => {
    const begun = host.latest;
    return async (signal) => {
      await read('resolveOutcome', undefined);
      // It may have begun by waiting until the file was open.
      let after: Revision = begun ?? host.first ?? 0;
      for (;;) {
        signal?.throwIfAborted();
        const changes = await read('changes', after);
        const found = changes.find(
          ({ deleted, previous, record }) =>
            !deleted && previous === undefined && record.key === keyText(key) && sameBytes(record.data, event.bytes),
        );
        const last = changes.at(-1);
        if (found !== undefined || last === undefined) return found && decoded(path, () => recordOf(found.record));
        after = last.record.revision;
      }
    };
  };
}
