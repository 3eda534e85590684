import type { EncodedEvent } from './record.js';
import { SELECTOR_FIELDS } from './schema-facts.js';

const SPACE = 0x20;
const DIGIT_ZERO = 0x30;

/**
 * Without their names a description takes 270 bytes of 510, and two events fit a page of 4 KiB where it was one. Stored
 * descriptions depend on the order.
 */
const NAMES: readonly string[] = SELECTOR_FIELDS;

type Texts = Readonly<Record<string, string>>;

/**
 * Values in the order of {@link NAMES}, 0 for one that is absent, and all others by their names. Before names were left
 * out, all fields stood in the place of the values.
 */
type Described = readonly [uid: string, values: readonly (string | 0)[] | Texts, labels: Texts, others?: Texts];

/**
 * Writes the sidecar of an {@link EncodedEvent}: what it holds besides its bytes, as one line of text for engines that keep
 * rows or values. The cut, a space, and a JSON array of uid, fields and labels.
 */
export function describeEvent({ cut, uid, fields, labels }: EncodedEvent): string {
  let found = 0;
  const values = NAMES.map((name) => {
    if (!Object.hasOwn(fields, name)) return 0;
    found += 1;
    return fields[name] as string;
  });
  const names = Object.keys(fields);
  const described: Described = [uid, values, labels];
  if (found === names.length) return `${cut} ${JSON.stringify(described)}`;
  const others = Object.fromEntries(Object.entries(fields).filter(([name]) => !NAMES.includes(name)));
  return `${cut} ${JSON.stringify([...described, others])}`;
}

function fieldsOf([, values, , others = {}]: Described): Texts {
  if (!isValues(values)) return values;
  const fields: Record<string, string> = { ...others };
  for (const [index, value] of values.entries()) if (value !== 0) fields[NAMES[index] as string] = value;
  return fields;
}

function isValues(values: Described[1]): values is readonly (string | 0)[] {
  return Array.isArray(values);
}

function parsed(description: string | Uint8Array, space: number): Described {
  const text = typeof description === 'string' ? description : new TextDecoder().decode(description);
  return JSON.parse(text.slice(space + 1)) as Described;
}

/** The fields of a description, for an engine that looks at those before it reads an event. */
export function describedFields(description: Uint8Array): Texts {
  return fieldsOf(parsed(description, description.indexOf(SPACE)));
}

/** The number in front of the space, and where it ends; NaN when it is none. */
function readCut(description: string | Uint8Array): { readonly cut: number; readonly space: number } {
  if (typeof description === 'string') {
    const space = description.indexOf(' ');
    return { cut: space < 1 ? Number.NaN : Number(description.slice(0, space)), space };
  }
  const space = description.indexOf(SPACE);
  let cut = space < 1 ? Number.NaN : 0;
  for (let i = 0; i < space; i++) {
    const digit = (description[i] as number) - DIGIT_ZERO;
    cut = digit >= 0 && digit <= 9 ? cut * 10 + digit : Number.NaN;
  }
  return { cut, space };
}

/**
 * The event again. Bytes and cut are all that a get, a list or a watch without selectors needs, so the rest of the line
 * (as text, or still in UTF-8) is decoded and parsed on first use.
 *
 * @throws RangeError when the text was not made by {@link describeEvent}: what was read is damaged.
 */
export function describedEvent(bytes: Uint8Array, description: string | Uint8Array): EncodedEvent {
  const { cut, space } = readCut(description);
  if (!Number.isSafeInteger(cut) || cut < 1 || cut > bytes.length) {
    throw new RangeError('a stored event is damaged: its description does not fit its bytes');
  }
  let described: Described | undefined;
  let fields: Texts | undefined;
  const rest = (): Described => (described ??= parsed(description, space));
  return {
    bytes,
    cut,
    get uid() {
      return rest()[0];
    },
    get fields() {
      return (fields ??= fieldsOf(rest()));
    },
    get labels() {
      return rest()[2];
    },
  };
}
