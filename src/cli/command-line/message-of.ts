/** What an error says, for a line of output. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
