import type { EncodedEvent } from './record.js';

/**
 * What an {@link EncodedEvent} holds besides its bytes, as one line of text for engines that keep rows or values: the cut,
 * a space, and a JSON array of uid, fields and labels.
 */
export function describeEvent({ cut, uid, fields, labels }: EncodedEvent): string {
  return `${cut} ${JSON.stringify([uid, fields, labels])}`;
}

type Described = readonly [uid: string, fields: Record<string, string>, labels: Record<string, string>];

const SPACE = 0x20;
const DIGIT_ZERO = 0x30;

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
  const rest = (): Described => {
    if (described === undefined) {
      const text = typeof description === 'string' ? description : new TextDecoder().decode(description);
      described = JSON.parse(text.slice(space + 1)) as Described;
    }
    return described;
  };
  return {
    bytes,
    cut,
    get uid() {
      return rest()[0];
    },
    get fields() {
      return rest()[1];
    },
    get labels() {
      return rest()[2];
    },
  };
}
