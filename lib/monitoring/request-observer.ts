import type { Logger, Meters } from '../ports/index.ts';
import type { AccessLog, AnsweredRequest } from './access-log.ts';
import { countedLogger } from './counted-logger.ts';

/** What a server that serves the engine's operations tells of its requests (platform §12). */
export interface RequestObserver {
  /** Notes a request that was answered after so many milliseconds; costs it no wait. */
  answered(request: AnsweredRequest, milliseconds: number): void;
  /** Times a request that the access log does not keep. */
  timed(milliseconds: number): void;
  /** A logger whose warnings and errors are counted with those of the engine. */
  counting(logger: Logger): Logger;
}

export function requestObserver(meters: Meters, accessLog: Pick<AccessLog, 'add'>): RequestObserver {
  const timed = (milliseconds: number): void => meters.time('http.requests', milliseconds);
  return {
    answered: (request, milliseconds) => {
      timed(milliseconds);
      accessLog.add(request);
    },
    timed,
    counting: (logger) => countedLogger(logger, meters),
  };
}
