import type { Packer, Unpacker } from './packing.js';

/** How values of one type are passed to another thread. */
export interface Codec<T> {
  pack(packer: Packer, value: T): void;
  unpack(unpacker: Unpacker): T;
}

/** Any number, also one that is not finite. */
export const number: Codec<number> = {
  pack: (packer, value) => packer.number(value),
  unpack: (unpacker) => unpacker.number(),
};

export const flag: Codec<boolean> = {
  pack: (packer, value) => packer.number(value ? 1 : 0),
  unpack: (unpacker) => unpacker.number() === 1,
};

export const text: Codec<string> = {
  pack: (packer, value) => packer.text(value),
  unpack: (unpacker) => unpacker.text(),
};

/** Unpacks to a view into the message. Also packs texts. */
export const bytes: Codec<Uint8Array> = {
  pack: (packer, value: Uint8Array | string) => (typeof value === 'string' ? packer.text(value) : packer.bytes(value)),
  unpack: (unpacker) => unpacker.bytes(),
};

export const nothing: Codec<undefined> = { pack: () => undefined, unpack: () => undefined };

export function optional<T>(codec: Codec<T>): Codec<T | undefined> {
  return {
    pack(packer, value) {
      flag.pack(packer, value !== undefined);
      if (value !== undefined) codec.pack(packer, value);
    },
    unpack: (unpacker) => (flag.unpack(unpacker) ? codec.unpack(unpacker) : undefined),
  };
}

export function list<T>(codec: Codec<T>): Codec<readonly T[]> {
  return {
    pack(packer, values) {
      packer.number(values.length);
      for (const value of values) codec.pack(packer, value);
    },
    // Array.from takes four times as long.
    unpack(unpacker) {
      const values: T[] = [];
      for (let left = unpacker.number(); left > 0; left--) values.push(codec.unpack(unpacker));
      return values;
    },
  };
}

/** The codecs of an object's members, which are packed in this order. */
type Members<T> = { readonly [Name in keyof T]-?: Codec<T[Name]> };

export function struct<T extends object>(members: Members<T>, kind?: string): Codec<T> {
  // Destructuring an object is faster than destructuring an array.
  const entries = Object.entries<Codec<unknown>>(members).map(([name, codec]) => ({ name, codec }));
  return {
    pack(packer, value) {
      for (const { name, codec } of entries) codec.pack(packer, (value as Record<string, unknown>)[name]);
    },
    unpack(unpacker) {
      const value: Record<string, unknown> = kind === undefined ? {} : { kind };
      for (const { name, codec } of entries) value[name] = codec.unpack(unpacker);
      return value as T;
    },
  };
}

interface Kinded {
  readonly kind: string;
}

export function oneOf<T extends Kinded>(kinds: {
  readonly [Kind in T['kind']]: Members<Omit<Extract<T, { readonly kind: Kind }>, 'kind'>>;
}): Codec<T> {
  const names = Object.keys(kinds);
  const codecs = Object.entries(kinds).map(([kind, members]) => struct<Kinded>(members as Members<Kinded>, kind));
  return {
    pack(packer, value) {
      const index = names.indexOf((value as Kinded).kind);
      packer.number(index);
      (codecs[index] as Codec<Kinded>).pack(packer, value as Kinded);
    },
    unpack: (unpacker) => (codecs[unpacker.number()] as Codec<Kinded>).unpack(unpacker) as T,
  };
}
