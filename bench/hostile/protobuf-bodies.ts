/** A body of an event in protobuf. */
export interface ProtobufBody {
  readonly id: string;
  readonly title: string;
  make(bytes: number): Uint8Array;
}

const encoder = new TextEncoder();
const text = (value: string): Uint8Array => encoder.encode(value);

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

function join(parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const field = (number: number, value: Uint8Array): Uint8Array =>
  join([varint(number * 8 + 2), varint(value.length), value]);

/** An object in its envelope. */
export function envelope(message: Uint8Array, kind = 'Event', apiVersion = 'events.example.com/v1'): Uint8Array {
  const type = join([field(1, text(apiVersion)), field(2, text(kind))]);
  return join([[0x6b, 0x38, 0x73, 0], field(1, type), field(2, message)]);
}

/** Parts that fill a body up to its limit, but for a kilobyte. */
function filled(bytes: number, make: (index: number) => Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let index = 0, left = bytes - 1_000; ; index++) {
    const part = make(index);
    left -= part.length;
    if (left < 0) return join(parts);
    parts.push(part);
  }
}

const inMetadata = (id: string, title: string, number: number, item: (index: number) => Uint8Array): ProtobufBody => ({
  id,
  title,
  make: (bytes) =>
    envelope(
      field(
        1,
        filled(bytes, (index) => field(number, item(index))),
      ),
    ),
});
const inEvent = (id: string, title: string, make: (index: number) => Uint8Array): ProtobufBody => ({
  id,
  title,
  make: (bytes) => envelope(filled(bytes, make)),
});
const entry = (key: string, value: string): Uint8Array => join([field(1, text(key)), field(2, text(value))]);
const nothing = new Uint8Array(0);

function groups(depth: number): Uint8Array {
  return join([
    new Array<number>(depth).fill(100 * 8 + 3).flatMap(varint),
    new Array<number>(depth).fill(100 * 8 + 4).flatMap(varint),
  ]);
}

/** Messages that are valid, or nearly so, but for their size. */
export const protobufBodies: readonly ProtobufBody[] = [
  inMetadata('labels', 'many labels', 11, (i) => entry(`k${i}`, 'v')),
  inMetadata('labels-empty', 'many empty labels', 11, () => nothing),
  inMetadata('annotations', 'many annotations', 12, (i) => entry(`k${i}`, '')),
  inMetadata('owners', 'many empty owner references', 13, () => nothing),
  inMetadata('finalizers', 'many finalizers', 14, (i) => text(`a/${i}`)),
  inMetadata('finalizers-empty', 'many empty finalizers', 14, () => nothing),
  inMetadata('managed', 'many empty entries of managed fields', 17, () => nothing),
  inMetadata('managed-json', 'many entries with fields', 17, () => field(7, field(1, text('{"f:x":{}}')))),
  inMetadata('times', 'many times', 8, () => Uint8Array.of(8, 1, 16, 1)),
  inEvent('unknown', 'many unknown fields', () => Uint8Array.of(0xf8, 0x07, 1)),
  inEvent('unknown-empty', 'many unknown empty fields', () => Uint8Array.of(0xfa, 0x07, 0)),
  inEvent('groups', 'many unknown groups', () => groups(1)),
  inEvent('groups-deep', 'deep unknown groups', () => groups(90)),
  inEvent('groups-deepest', 'a group in a group in a group', () => groups(100_000)),
  inEvent('metadata', 'metadata many times', () => field(1, nothing)),
  inEvent('notes', 'a note many times', () => field(10, text('x'))),
  inEvent('series', 'a series many times', () => field(3, nothing)),
  {
    id: 'bad-text',
    title: 'a long text that is no UTF-8',
    make: (bytes) => envelope(field(10, new Uint8Array(bytes - 1_000).fill(0xff))),
  },
  {
    id: 'cut',
    title: 'a message that is cut',
    make: (bytes) => envelope(filled(bytes, (i) => field(11, entry(`k${i}`, 'v')))).subarray(0, -1),
  },
];
