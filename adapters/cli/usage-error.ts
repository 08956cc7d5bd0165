/** The command line is wrong: answered with the usage and exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
