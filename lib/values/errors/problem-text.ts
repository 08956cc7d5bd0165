import type { Problem } from './billing-error.ts';

/** The problem with its place, as far as it has one. */
export function problemText({ message, line, column }: Problem): string {
  return line === undefined ? message : `line ${line}, column ${column ?? 1}: ${message}`;
}
