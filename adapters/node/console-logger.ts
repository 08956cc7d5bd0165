import type { Logger } from '../../lib/ports/index.ts';

/** Warnings and errors as lines on standard error; for hosts that bring no logger of their own. */
export function consoleLogger(): Logger {
  const ignore = (): void => undefined;
  const write =
    (level: string) =>
    (fields: object, message: string): void =>
      console.error(`billwright ${level}: ${message}`, fields);
  return { debug: ignore, info: ignore, warn: write('warning'), error: write('error') };
}
