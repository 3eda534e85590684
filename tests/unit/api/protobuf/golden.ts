import golden from './golden.json' with { type: 'json' };
import type { FrameType } from '../../../../src/api/representation/contract.js';

/** An object as Kubernetes' own libraries (v0.36.6) write it, in JSON and in protobuf; a watch event where `type` is set. */
export interface Golden {
  readonly name: string;
  readonly object: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
  readonly type?: FrameType | undefined;
}

export const GOLDEN: readonly Golden[] = golden.map((one) => ({
  name: one.name,
  object: one.json,
  bytes: Uint8Array.from(Buffer.from(one.hex, 'hex')),
  type: one.type as FrameType | undefined,
}));

export const goldenNamed = (name: string): Golden => {
  const found = GOLDEN.find((one) => one.name === name);
  if (!found) throw new Error(`there is no ${name} in golden.json`);
  return found;
};

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
