import { DAY_MS } from '../../values/limits.ts';

/** Who a plugin is among those of a node (platform §11). */
export interface PluginIdentity {
  /** Unique among the plugins of its kind. */
  readonly name: string;
  /** A short name by which commands to nodes may call it; default none. */
  readonly pluginKey?: string;
  /** Dotted numbers such as `1.4.0`, shown to operators; default none. */
  readonly version?: string;
}

/** Longest wait that a plugin can ask for with `RetryLater`. */
const MAX_RETRY_LATER_MS = DAY_MS;

/**
 * Thrown by a plugin that cannot serve now and knows when to ask again. Queued work is done again after `delayMs` of
 * system time (at most a day), whatever the schedule for other errors; a synchronous call fails.
 */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(delayMs: number, message = 'asked to be tried again later') {
    super(message);
    this.delayMs = Math.min(Math.max(0, Math.ceil(delayMs) || 0), MAX_RETRY_LATER_MS);
  }
}

/** The `RetryLater` that an error is or was caused by. */
export function retryLaterOf(error: unknown): RetryLater | undefined {
  if (error instanceof RetryLater) return error;
  return error instanceof Error ? retryLaterOf(error.cause) : undefined;
}
