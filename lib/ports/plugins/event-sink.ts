import type { PublishedEvent } from '../../records/index.ts';

/**
 * Receives events in the host's own process (platform §10.6). A sink gets the events of all tenants and of
 * the system, after their commit, from any node, since an engine was first opened with the sink. An event
 * waits until the sink accepts it, even while no node has the sink, as long as queue history is kept
 * (`queue.history.retention`).
 * @example const mailer: EventSink = { name: 'mailer', onEvent: async (event) => { if (event.eventType ===
 * 'INVOICE_CREATION') await mail(event.tenantId, event.objectId, event.id); }, };
 */
export interface EventSink {
  /**
   * Name that identifies the stored events of the sink. The name must be unique among the sinks of an engine and have
   * at most 100 characters.
   */
  readonly name: string;
  /**
   * Processes an event. The events of an account arrive in order, one after the other. Events of different accounts
   * arrive concurrently, at most ten of a tenant. Resolve when the event is processed. After a crash of the node an
   * event may come again with the same `id`.
   *
   * If it throws or takes more than 30 s, the event is retried by the server's `billing.server.notifications.retries`
   * (15 min, 30 min, 2 h, 12 h, 1 d) and dropped with a log line after the last attempt. In the meantime, later events
   * of the account wait. Other accounts and sinks continue. `RetryLater` repeats the event after its delay of business
   * time, at least 1 s, any number of times.
   */
  onEvent(event: PublishedEvent): Promise<void> | void;
}
