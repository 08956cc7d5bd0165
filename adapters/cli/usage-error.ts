/** The command line is wrong: answered with the usage and exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What an error says, for a message that says more. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
