/** The message of anything that was thrown; its name where it has none, as the AggregateError of a connection attempt. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
