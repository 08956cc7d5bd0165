import { destination, type Logger, pino } from 'pino';
import { maskSecretShapes } from '../../lib/values/text/index.ts';
import { UsageError } from './usage-error.ts';

const levels = ['debug', 'info', 'warn', 'error'];

/** Returns a logger that writes JSON lines with masked secrets to standard error. */
export function createLogger(level = 'info'): Logger {
  if (!levels.includes(level))
    throw new UsageError(`BILLWRIGHT_LOG_LEVEL must be one of ${levels.join(', ')}`);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: maskSecretShapes },
    },
    destination(2),
  );
}
