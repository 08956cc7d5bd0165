import type { PublishedEvent } from '../../records/index.ts';

/**
 * Takes what happens, in the host's own process (platform §10.6): events of all tenants and of the system, after their
 * commit, whichever node has made them, from the first time on that an engine was opened with the sink. An event waits until
 * the sink has taken it, also while no node has the sink, as long as queue history is kept (`queue.history.retention`).
 *
 * @example
 * const mailer: EventSink = {
 *   name: 'mailer',
 *   onEvent: async (event) => {
 *     if (event.eventType === 'INVOICE_CREATION') await mail(event.tenantId, event.objectId, event.id);
 *   },
 * };
 */
export interface EventSink {
  /** Under which its events are kept; unique among the sinks of an engine, at most 100 characters. */
  readonly name: string;
  /**
   * Called with the events of an account one after the other, in the order in which they happened, and with those of
   * different accounts at once: at most ten of a tenant. Resolves when the event need not come again. After a crash of the
   * node an event may come again, under the same `id`.
   *
   * If it throws, or has not resolved within 30 s, the event comes again by `billing.server.notifications.retries` of the
   * server (15 min, 30 min, 2 h, 12 h, 1 d), and after the last of these is given up, with a line in the log; what happened
   * later in the account waits meanwhile. With `RetryLater` it comes again after that delay of business time, at least 1 s,
   * as often as the sink says so. Other accounts and other sinks go on.
   */
  onEvent(event: PublishedEvent): Promise<void> | void;
}
