import type { Logger, Meters } from '../ports/index.ts';

/** The logger, with its warnings and errors counted (platform §12.2). */
export function countedLogger(logger: Logger, meters: Meters): Logger {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => {
      meters.mark('logs.rates.warn');
      logger.warn(fields, message);
    },
    error: (fields, message) => {
      meters.mark('logs.rates.error');
      logger.error(fields, message);
    },
  };
}
