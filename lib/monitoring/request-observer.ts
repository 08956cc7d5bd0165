import type { Logger, Meters, SystemClock } from '../ports/index.ts';
import type { AccessLine, MonitoringStore } from '../ports/storage/index.ts';
import { type ActivityPorts, detached } from '../runtime/index.ts';
import { madeStorable, maskQuery } from '../values/text/index.ts';

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

/** Requests of the access log are stored together: so many, or after this time; beyond so many, they are lost. */
export const ACCESS_FLUSH_LINES = 500;
const ACCESS_FLUSH_MS = 5_000;
export const MAX_ACCESS_LINES_HELD = 10_000;

/** Characters of a URI in the access log. */
const MAX_ACCESS_URI = 2_000;

/** A request that was answered, as who has served it tells. */
export interface AnsweredRequest {
  /** Null = of no tenant. */
  readonly tenantRecordId: number | null;
  readonly method: string;
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
  readonly status: number;
  /** Null = no body, or of unknown length. */
  readonly bytesSent: number | null;
  readonly principal: string | null;
  readonly createdBy: string | null;
}

interface AccessPorts extends ActivityPorts {
  readonly storage: { readonly monitoring: Pick<MonitoringStore, 'addAccess'> };
  readonly systemClock: SystemClock;
  readonly logger: Logger;
}

/**
 * Stores the requests of this node together, some seconds late (platform §12.1 rule 5). Beyond a bound, requests are
 * counted and lost.
 */
export class AccessLog {
  readonly #ports: AccessPorts;
  readonly #node: { readonly nodeName: string; readonly hostName: string };
  readonly #isKept: boolean;
  #held: AccessLine[] = [];
  #lost = 0;
  #cancelTimer: (() => void) | undefined;
  #storing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    ports: AccessPorts,
    input: { readonly nodeName: string; readonly hostName: string; readonly retentionMs: number },
  ) {
    this.#ports = ports;
    this.#node = { nodeName: input.nodeName, hostName: input.hostName };
    this.#isKept = input.retentionMs > 0;
  }

  add({ tenantRecordId, path, query, status, ...answered }: AnsweredRequest): void {
    if (!this.#isKept || this.#closed) return;
    if (this.#held.length >= MAX_ACCESS_LINES_HELD) {
      this.#lost += 1;
      return;
    }
    const { systemClock } = this.#ports;
    // One line that the database refuses would keep back all the others.
    this.#held.push({
      ...answered,
      ...this.#node,
      principal: answered.principal === null ? null : madeStorable(answered.principal),
      createdBy: answered.createdBy === null ? null : madeStorable(answered.createdBy),
      tenantRecordId: tenantRecordId ?? 0,
      atMs: systemClock.nowMs(),
      uri: madeStorable(shownUri(path, query).slice(0, MAX_ACCESS_URI)),
      statusCode: status,
    });
    const isFull = this.#held.length % ACCESS_FLUSH_LINES === 0;
    if (isFull) this.#flushSoon(0);
    else if (this.#cancelTimer === undefined) this.#flushSoon(ACCESS_FLUSH_MS);
  }

  /** Stores what is held. */
  flush(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#storing = this.#storing.then(() => this.#store());
    return this.#storing;
  }

  async close(): Promise<void> {
    await this.flush();
    this.#closed = true;
    this.#cancelTimer?.();
  }

  #flushSoon(delayMs: number): void {
    this.#cancelTimer?.();
    const flush = () => this.#ports.systemClock.after(delayMs, () => void this.flush());
    // The lines are of many requests: what goes wrong is not that of the one that has set the timer (platform §13.1).
    this.#cancelTimer = detached(this.#ports, flush);
  }

  /** What could not be stored waits for the next time. */
  async #store(): Promise<void> {
    const lines = this.#held;
    if (lines.length === 0) return;
    this.#held = [];
    const { storage, logger } = this.#ports;
    try {
      await storage.monitoring.addAccess(lines);
    } catch (error) {
      const room = Math.max(0, MAX_ACCESS_LINES_HELD - this.#held.length);
      this.#lost += Math.max(0, lines.length - room);
      this.#held = [...(room === 0 ? [] : lines.slice(-room)), ...this.#held];
      logger.warn({ err: error, held: this.#held.length, lost: this.#lost }, 'the access log was not stored');
      if (!this.#closed) this.#flushSoon(ACCESS_FLUSH_MS);
    }
  }
}

/** Path and query of a request, with secrets masked (platform §6.3 rule 3). */
function shownUri(path: string, query: string): string {
  return query === '' ? path : `${path}?${maskQuery(query)}`;
}

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
