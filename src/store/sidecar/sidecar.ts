import type { FieldTerm } from '../contract/event-store.js';
import type { EncodedEvent } from '../contract/record.js';
import { SELECTOR_FIELDS } from '../contract/schema-facts.js';

/** Fields stored without names: 270 bytes instead of 510, so two events fit into a 4 KiB page. The order is fixed. */
const NAMES: readonly string[] = SELECTOR_FIELDS;

type Texts = Readonly<Record<string, string>>;

/** Values in the order of {@link NAMES}, 0 for one that is absent, and all other fields by name. */
type Sidecar = readonly [uid: string, values: readonly (string | 0)[], labels: Texts, others?: Texts];

/** An {@link EncodedEvent} without its bytes: the cut, a space, and a JSON array of uid, fields and labels. */
export function encodeSidecar({ cut, uid, fields, labels }: EncodedEvent): string {
  let found = 0;
  const values = NAMES.map((name) => {
    if (!Object.hasOwn(fields, name)) return 0;
    found += 1;
    return fields[name] as string;
  });
  const sidecar: Sidecar = [uid, values, labels];
  if (found === Object.keys(fields).length) return `${cut} ${JSON.stringify(sidecar)}`;
  const others = Object.fromEntries(Object.entries(fields).filter(([name]) => !NAMES.includes(name)));
  return `${cut} ${JSON.stringify([...sidecar, others])}`;
}

function fieldsOf([, values, , others = {}]: Sidecar): Texts {
  const fields: Record<string, string> = { ...others };
  for (const [index, value] of values.entries()) if (value !== 0) fields[NAMES[index] as string] = value as string;
  return fields;
}

const parsed = (sidecar: string, space: number): Sidecar => JSON.parse(sidecar.slice(space + 1)) as Sidecar;

export function sidecarFields(sidecar: string): Texts {
  return fieldsOf(parsed(sidecar, sidecar.indexOf(' ')));
}

/** Whether every field of a term has its value. An absent field has the empty one. */
export function haveValues(fields: Texts, terms: readonly FieldTerm[]): boolean {
  return terms.every(({ field, value }) => (Object.hasOwn(fields, field) ? fields[field] : '') === value);
}

/**
 * The event with these bytes and this sidecar, most of which is parsed on first use: only selectors need it.
 *
 * @throws RangeError when the sidecar is damaged: it was not made by {@link encodeSidecar}, or for other bytes.
 */
export function eventWithSidecar(bytes: Uint8Array, sidecar: string): EncodedEvent {
  const space = sidecar.indexOf(' ');
  const cut = Number(sidecar.slice(0, space));
  if (!Number.isSafeInteger(cut) || cut < 1 || cut > bytes.length) {
    throw new RangeError('a stored event is damaged: its sidecar does not fit its bytes');
  }
  let rest: Sidecar | undefined;
  let fields: Texts | undefined;
  const read = (): Sidecar => (rest ??= parsed(sidecar, space));
  return {
    bytes,
    cut,
    get uid() {
      return read()[0];
    },
    get fields() {
      return (fields ??= fieldsOf(read()));
    },
    get labels() {
      return read()[2];
    },
  };
}
