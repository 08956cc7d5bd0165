import { DAY_MS } from '../../values/limits.ts';

/** Identifies a plugin on a node (platform §11). */
export interface PluginIdentity {
  /** Name of the plugin, unique among the plugins of its kind. */
  readonly name: string;
  /** Short name for node commands. Defaults to none. */
  readonly pluginKey?: string;
  /** Version as dotted numbers such as `1.4.0`, shown to operators. Defaults to none. */
  readonly version?: string;
}

/** Maximum delay of a `RetryLater` in milliseconds. */
const MAX_RETRY_LATER_MS = DAY_MS;

/**
 * An error that a plugin throws when it is temporarily unavailable. Queued work is retried after `delayMs` of system
 * time (at most a day), regardless of the usual schedule. A synchronous call fails.
 */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly delayMs: number;

  constructor(delayMs: number, message = 'requested a retry later') {
    super(message);
    this.delayMs = Math.min(Math.max(0, Math.ceil(delayMs) || 0), MAX_RETRY_LATER_MS);
  }
}

/** Returns the `RetryLater` among the error and its causes. */
export function retryLaterOf(error: unknown): RetryLater | undefined {
  if (error instanceof RetryLater) return error;
  return error instanceof Error ? retryLaterOf(error.cause) : undefined;
}
