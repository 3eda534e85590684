import type { FieldShape } from './shape.js';

/** What an absent field stands for, where that is not simply nothing. */
export function defaultValue({ shape, presence, required }: FieldShape): unknown {
  if (shape.kind === 'struct') return presence === 'always' ? {} : undefined;
  if (!required || shape.kind !== 'scalar') return undefined;
  if (shape.type === 'string') return '';
  return shape.type === 'int32' || shape.type === 'int64' ? 0 : undefined;
}
