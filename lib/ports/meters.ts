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
