import { lazy } from '../schema/lazy.js';
import type { FieldShape, ScalarShape, Shape, StructShape } from '../schema/shape.js';

export interface Message {
  readonly name: string;
  /** In the order of their numbers, which is the order they are written in. */
  readonly fields: readonly MessageField[];
  readonly byNumber: ReadonlyMap<number, MessageField>;
}

export interface MessageField {
  readonly number: number;
  readonly name: string;
  readonly type: FieldType;
  /**
   * Kubernetes' messages are generated from Go structs: a field that is not a pointer there is written even when it is
   * not set, as `""`, 0, false or an empty message. Does not apply to lists and maps.
   */
  readonly always: boolean;
}

/**
 * The types there are in Kubernetes' meta, core and events groups. Times are messages of seconds and nanoseconds, free
 * JSON one of bytes; a map has strings by string; `strings` is a list inside a message of its own.
 */
export type FieldType =
  | { readonly kind: 'scalar'; readonly type: ScalarShape['type'] }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'list'; readonly item: Message | 'string' }
  | { readonly kind: 'map' }
  | { readonly kind: 'strings' };

export function createMessage(name: string, fields: readonly MessageField[]): Message {
  const sorted = [...fields].sort((a, b) => a.number - b.number);
  return { name, fields: sorted, byNumber: new Map(sorted.map((field) => [field.number, field])) };
}

/** Messages by the shape they were compiled from: shapes live as long as the process. */
const compiled: () => WeakMap<StructShape, Message> = lazy(() => new WeakMap());

/** @throws TypeError for a shape with types Kubernetes' messages do not have */
export function compiledMessage(shape: StructShape): Message {
  const known = compiled().get(shape);
  if (known) return known;
  const fields = shape.fields.filter(({ protobuf }) => protobuf !== 0).map(fieldOf);
  const message = createMessage(shape.name, fields);
  compiled().set(shape, message);
  return message;
}

function fieldOf({ name, shape, protobuf, presence }: FieldShape): MessageField {
  const value = shape.kind === 'scalar' && shape.type !== 'json';
  return {
    number: protobuf,
    name,
    type: typeOf(shape, name),
    always: presence === 'always' || (presence === 'non-empty' && value),
  };
}

function typeOf(shape: Shape, name: string): FieldType {
  switch (shape.kind) {
    case 'scalar':
      return { kind: 'scalar', type: shape.type };
    case 'struct':
      return { kind: 'message', message: compiledMessage(shape) };
    case 'list':
      if (shape.named) return { kind: 'strings' };
      if (shape.item.kind === 'struct') return { kind: 'list', item: compiledMessage(shape.item) };
      if (isString(shape.item)) return { kind: 'list', item: 'string' };
      break;
    case 'map':
      if (isString(shape.value)) return { kind: 'map' };
      break;
  }
  throw new TypeError(`the field ${name} cannot be written in protobuf: lists hold objects or strings, maps strings`);
}

const isString = (shape: Shape): boolean => shape.kind === 'scalar' && shape.type === 'string';
