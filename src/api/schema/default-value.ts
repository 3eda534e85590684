import type { FieldShape } from './shape.js';

/** The default of an absent field, if it has one. */
export function defaultValue({ shape, presence, required }: FieldShape): unknown {
  if (shape.kind === 'struct') return presence === 'always' ? {} : undefined;
  if (!required || shape.kind !== 'scalar') return undefined;
  if (shape.type === 'string') return '';
  return shape.type === 'int32' || shape.type === 'int64' ? 0 : undefined;
}
