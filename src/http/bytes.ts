/** True for a Uint8Array (a Buffer is one), also one of another realm, as test runners make them. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || Object.prototype.toString.call(value) === '[object Uint8Array]';
}
