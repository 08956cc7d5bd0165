import type { EventSink, Logger, Ports } from '../ports/index.ts';
import { retryLaterOf } from '../ports/index.ts';
import type { DeliveriesOf, PushStore } from '../ports/storage/index.ts';
import { type PushDelivery, SYSTEM_TENANT } from '../records/index.ts';
import { type ActivityPorts, callPlugin, traceParentOf } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { EVENT_SINK_TIMEOUT_MS } from '../values/limits.ts';
import { addMilliseconds } from '../values/time/index.ts';
import type { AttemptOutcome } from './after-attempt.ts';
import { deliveriesToSinks } from './deliveries-of-events.ts';
import { deliveredEvent } from './published-event.ts';
import { PushCounts } from './push-counts.ts';
import { PushDispatcher } from './push-dispatcher.ts';
import { type DispatcherInput, PURGE_SIZE } from './service.ts';
import { TenantStream } from './tenant-stream.ts';

type SinkPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger'> & ActivityPorts;

/** What a sink needs besides its event: whose that is; null = the system's. */
interface SinkTarget {
  readonly tenantId: Uuid | null;
}

/** Writes what goes to the event sinks of the host, and gives it to them (platform §10.6): like pushes, to each by itself. */
export class SinkService {
  /** For the storage: what of a transaction goes to the sinks; null: there are none. */
  readonly deliveriesOf: DeliveriesOf | null;
  readonly #ports: SinkPorts;
  readonly #sinks: readonly EventSink[];
  readonly #retriesMs: readonly number[];

  /** @param retriesMs when an event comes again that a sink has thrown at. */
  constructor(ports: SinkPorts, sinks: readonly EventSink[], retriesMs: readonly number[]) {
    this.#ports = ports;
    this.#sinks = sinks;
    this.#retriesMs = retriesMs;
    this.deliveriesOf =
      sinks.length === 0
        ? null
        : deliveriesToSinks(
            sinks.map(({ name }) => name),
            (accountRecordId) => traceParentOf(ports, accountRecordId),
          );
  }

  /** Each gives its sink what is due; one of each for an engine. */
  dispatchers(input: DispatcherInput): readonly PushDispatcher[] {
    return this.#sinks.map((sink) => this.#dispatcherOf(sink, input));
  }

  /** Deletes some of what sinks took longer ago. */
  async purge(retentionMs: number): Promise<void> {
    const { storage, clock } = this.#ports;
    const before = addMilliseconds(clock.now(), -retentionMs);
    await Promise.all(this.#sinks.map(({ name }) => storage.sink(name).purge(before, PURGE_SIZE)));
  }

  #dispatcherOf(sink: EventSink, { node, isFormerNode, tenantOf }: DispatcherInput): PushDispatcher {
    const { storage, clock } = this.#ports;
    const store: PushStore = storage.sink(sink.name);
    const logger = naming(this.#ports.logger, sink.name);
    const ports = { ...this.#ports, logger, storage: { push: store, singleNode: storage.singleNode } };
    return new PushDispatcher(ports, {
      node,
      isFormerNode,
      streamOf: ({ tenantRecordId }, record) =>
        new TenantStream<SinkTarget>({
          tenantRecordId,
          store,
          now: () => clock.now(),
          logger,
          counts: new PushCounts(),
          target: async () => ({
            tenantId: tenantRecordId === SYSTEM_TENANT.recordId ? null : (await tenantOf(tenantRecordId)).id,
            retriesMs: this.#retriesMs,
          }),
          // All of it is written with the events.
          takeUp: async () => 'NONE',
          isStrict: true,
          placeOf: () => ({}),
          send: (delivery, { tenantId }) => this.#give(sink, delivery, tenantId),
          record,
        }),
    });
  }

  /** Never throws. */
  async #give(sink: EventSink, delivery: PushDelivery, tenantId: Uuid | null): Promise<AttemptOutcome> {
    const plugin = { kind: 'event sink', name: sink.name, timeoutMs: EVENT_SINK_TIMEOUT_MS };
    const { logger } = this.#ports;
    try {
      const event = deliveredEvent(delivery, tenantId);
      await callPlugin(plugin, this.#ports, async () => sink.onEvent(event));
      return { kind: 'DELIVERED', status: null };
    } catch (error) {
      const reason = reasonOf(error);
      const later = retryLaterOf(error);
      if (later !== undefined) return { kind: 'LATER', delayMs: later.delayMs, error: reason };
      const { id, eventType } = delivery;
      logger.warn(
        { err: error, sink: sink.name, eventId: id, eventType },
        'an event sink has not taken an event; it comes again',
      );
      return { kind: 'FAILED', status: null, error: reason };
    }
  }
}

/** What the sink itself has said, if it has. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** The log says which sink it is about. */
function naming(logger: Logger, sink: string): Logger {
  return {
    debug: (fields, message) => logger.debug({ ...fields, sink }, message),
    info: (fields, message) => logger.info({ ...fields, sink }, message),
    warn: (fields, message) => logger.warn({ ...fields, sink }, message),
    error: (fields, message) => logger.error({ ...fields, sink }, message),
  };
}
