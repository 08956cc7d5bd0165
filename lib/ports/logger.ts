/** Structured logging; the shape of pino's methods, so that a pino instance is a Logger as it stands. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
