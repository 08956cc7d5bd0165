/** A structured logger. It has the methods of pino, so a pino instance is a Logger. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LogFilesRequest {
  /** Directories from which files may be read. */
  readonly allowed: readonly string[];
  /** Directory to read. If null, the first allowed directory is read. */
  readonly directory: string | null;
  /** File names without a path. If the list is empty, the most recently written file is read. */
  readonly names: readonly string[];
  /** Maximum number of bytes to read per file, counted from the end of the file. */
  readonly maxBytes: number;
}

export interface LogFile {
  readonly name: string;
  readonly text: Uint8Array;
}

/** Reads log files of this node (platform §12.6). */
export interface LogFiles {
  /** Returns the files, or null if reading the directory is not allowed. */
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
  /** Returns the largest delay of the event loop since the last call, in milliseconds. */
  eventLoopLagMs(): number;
}
