import { fieldsWriter } from '../../api/encode/encode-json.js';
import type { FieldShape } from '../../api/schema/shape.js';
import { eventShape } from '../schema.js';

/**
 * Writes the field at this place of an event, found in the struct that has it: `"name":value`, or nothing. It goes along
 * the shape, for fields that are rare or of which nobody knows what is in them.
 */
export function fieldWriter(...path: readonly [string, ...string[]]): (owner: object) => string {
  let struct = eventShape();
  let field: FieldShape | undefined;
  for (const name of path) {
    field = struct.byName.get(name);
    if (field?.shape.kind === 'struct') struct = field.shape;
  }
  if (field?.name !== path.at(-1)) throw new TypeError(`an event has no field ${path.join('.')}`);
  const write = fieldsWriter([field as FieldShape]);
  return (owner) => write(owner as Readonly<Record<string, unknown>>);
}
