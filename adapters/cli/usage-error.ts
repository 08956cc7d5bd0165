/** An invalid command line: prints the usage with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
