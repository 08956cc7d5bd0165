/** Structured logging with the methods of pino, so that a pino instance is a Logger. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LogFilesRequest {
  /** Directories that may be read, with their files. */
  readonly allowed: readonly string[];
  /** Directory to read. Null for the first allowed directory. */
  readonly directory: string | null;
  /** File names without a path. Empty for the file that was written last. */
  readonly names: readonly string[];
  /** Maximum number of bytes per file, counted from its end. */
  readonly maxBytes: number;
}

export interface LogFile {
  readonly name: string;
  readonly text: Uint8Array;
}

/** Reads the log files of this node (platform §12.6). */
export interface LogFiles {
  /** Returns the files. Null if the directory may not be read. */
  read(request: LogFilesRequest): Promise<readonly LogFile[] | null>;
}

export type MeterName =
  | 'queue.bus.incoming'
  | 'queue.notifications.incoming'
  | 'push.failed'
  | 'logs.rates.error'
  | 'logs.rates.warn';

export type TimerName =
  | 'http.requests'
  | 'queue.bus.latency'
  | 'queue.notifications.latency'
  | 'payment.plugin';

/** Receives the counters and timers of this node (platform §12.2). */
export interface Meters {
  mark(meter: MeterName, count?: number): void;
  time(timer: TimerName, milliseconds: number): void;
}

export interface ProcessGauges {
  memoryBytes(): number;
  /** Returns the largest event loop delay in milliseconds since the last call. */
  eventLoopLagMs(): number;
}
