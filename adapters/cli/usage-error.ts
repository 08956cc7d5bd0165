/** An invalid command line. The command prints its usage and ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
