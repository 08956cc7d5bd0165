/** Structured logging; the shape of pino's methods, so that a pino instance is a Logger as it stands. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Which log files are read. */
export interface LogFilesRequest {
  /** Directories that may be read, and what lies in them. */
  readonly allowed: readonly string[];
  /** Null = the first of the allowed ones. */
  readonly directory: string | null;
  /** Names without a path; empty = the file that was written last. */
  readonly names: readonly string[];
  /** Of each file its last so many bytes. */
  readonly maxBytes: number;
}

export interface LogFile {
  readonly name: string;
  readonly text: Uint8Array;
}

/** Reads the log files of this node, for those who look into what went wrong (platform §12.6). */
export interface LogFiles {
  /** What there is of these files; null if the directory is none that may be read. */
  read(request: LogFilesRequest): Promise<readonly LogFile[] | null>;
}

/** What is counted as it happens. */
export type MeterName =
  | 'queue.bus.incoming'
  | 'queue.notifications.incoming'
  | 'push.failed'
  | 'logs.rates.error'
  | 'logs.rates.warn';

/** What is timed. */
export type TimerName =
  | 'http.requests'
  | 'queue.bus.latency'
  | 'queue.notifications.latency'
  | 'payment.plugin';

/** Takes what this node counts and times while it works (platform §12.2). */
export interface Meters {
  mark(meter: MeterName, count?: number): void;
  time(timer: TimerName, milliseconds: number): void;
}

/** What the runtime tells of this process. */
export interface ProcessGauges {
  /** Bytes of memory that the process holds. */
  memoryBytes(): number;
  /** Milliseconds by which the event loop was late since the last call, at the worst. */
  eventLoopLagMs(): number;
}
