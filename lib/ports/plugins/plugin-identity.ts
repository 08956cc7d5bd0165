import { DAY_MS } from '../../values/limits.ts';

/** Identifies a plugin on a node (platform §11). */
export interface PluginIdentity {
  /** Unique among the plugins of its kind. */
  readonly name: string;
  /** Short name for node commands; none by default. */
  readonly pluginKey?: string;
  /** Dotted numbers such as `1.4.0`, shown to operators; none by default. */
  readonly version?: string;
}

/** Longest delay of a `RetryLater`. */
const MAX_RETRY_LATER_MS = DAY_MS;

/**
 * Thrown by a plugin that is temporarily unavailable. Queued work is retried after `delayMs` of system time (at most a
 * day), regardless of the usual schedule; a synchronous call fails.
 */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(delayMs: number, message = 'requested a retry later') {
    super(message);
    this.delayMs = Math.min(Math.max(0, Math.ceil(delayMs) || 0), MAX_RETRY_LATER_MS);
  }
}

/** Returns the `RetryLater` in the error's chain of causes. */
export function retryLaterOf(error: unknown): RetryLater | undefined {
  if (error instanceof RetryLater) return error;
  return error instanceof Error ? retryLaterOf(error.cause) : undefined;
}
