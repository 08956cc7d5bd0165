import type { Logger, Meters, SystemClock } from '../ports/index.ts';
import type { AccessLine, MonitoringStore } from '../ports/storage/index.ts';
import { type ActivityPorts, runDetached } from '../runtime/index.ts';
import { madeStorable, maskQuery } from '../values/text/index.ts';

/** Records the requests to a server that uses the engine (platform §12). */
export interface RequestObserver {
  /** Records a finished request and its duration, without delaying it. */
  answered(request: AnsweredRequest, milliseconds: number): void;
  /** Records the duration of a request that does not appear in the access log. */
  timed(milliseconds: number): void;
  /** Returns a logger whose warnings and errors are counted together with those of the engine. */
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

/**
 * Number of requests that are stored together, maximum time until a smaller number is stored, and maximum number of
 * waiting requests. Requests above this maximum are lost.
 */
export const ACCESS_FLUSH_LINES = 500;
const ACCESS_FLUSH_MS = 5_000;
export const MAX_ACCESS_LINES_HELD = 10_000;

/** Maximum length of a URI in the access log. */
const MAX_ACCESS_URI = 2_000;

/** A finished request, as reported by the server. */
export interface AnsweredRequest {
  /** The record id of the tenant, or null if the request has no tenant. */
  readonly tenantRecordId: number | null;
  readonly method: string;
  readonly path: string;
  /** Query string without `?`. */
  readonly query: string;
  readonly status: number;
  /** The number of bytes of the body, or null if the response has no body or its length is unknown. */
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
 * Stores the requests of this node in batches, with a delay of a few seconds (platform §12.1 rule 5). Above a limit,
 * requests are counted but not stored.
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
    // A line that the database rejects would otherwise block all other lines.
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

  /** Stores the held requests. */
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
    // The timer is detached, so that errors are not logged under the request that started it (platform §13.1).
    this.#cancelTimer = runDetached(this.#ports, flush);
  }

  /** Stores the buffered requests. If this fails, the requests wait for the next attempt. */
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

/** Returns the path and query with masked secrets (platform §6.3 rule 3). */
function shownUri(path: string, query: string): string {
  return query === '' ? path : `${path}?${maskQuery(query)}`;
}

/** Returns a logger that counts warnings and errors (platform §12.2). */
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
