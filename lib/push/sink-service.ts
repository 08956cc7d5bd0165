import { type EventSink, type Logger, type Ports, retryLaterOf } from '../ports/index.ts';
import { type PushDelivery, SYSTEM_TENANT, type TenantRef } from '../records/index.ts';
import { type ActivityPorts, callPlugin } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { DAY_MS } from '../values/limits.ts';
import { addMilliseconds } from '../values/time/index.ts';
import { claimEvents } from './claim-events.ts';
import type { AttemptOutcome } from './delivery-after-attempt.ts';
import { deliveredEvent } from './event-operations.ts';
import { PushDispatcher } from './push-dispatcher.ts';
import { type DispatcherInput, PURGE_SIZE } from './service.ts';
import { PushCounts, SINK_OUTCOMES, TenantStream } from './tenant-stream.ts';

const EVENT_SINK_TIMEOUT_MS = 30_000;

/**
 * Minimum time in milliseconds that a sink is kept after its last use. Nodes report every few minutes which sinks they
 * use.
 */
const EVENT_SINK_LEAST_KEPT_MS = DAY_MS;

type SinkPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger'> & ActivityPorts;

interface CountedSink {
  readonly sink: EventSink;
  readonly counts: PushCounts;
}

/** Creates deliveries to the host's event sinks, and calls each sink independently of the others (platform §10.6). */
export function sinkService(ports: SinkPorts, sinks: readonly EventSink[], retriesMs: readonly number[]) {
  const counted = sinks.map((sink) => ({ sink, counts: new PushCounts(SINK_OUTCOMES) }));

  /** Registers the sinks for all later events. Call this before the engine starts to work. */
  async function register(): Promise<void> {
    const names = counted.map(({ sink }) => sink.name);
    if (names.length > 0) await ports.storage.sinks.register(names);
  }

  function dispatcherOf(
    { sink, counts }: CountedSink,
    { node, isFormerNode, tenantOf }: DispatcherInput,
  ): PushDispatcher {
    const { storage, clock } = ports;
    const store = storage.sink(sink.name);
    const logger = createSinkLogger(ports.logger, sink.name);
    const own = { ...ports, logger, storage: { push: store, singleNode: storage.singleNode } };
    const refOf = async (recordId: number): Promise<TenantRef> =>
      recordId === SYSTEM_TENANT.recordId ? SYSTEM_TENANT : tenantOf(recordId);
    return new PushDispatcher(own, {
      node,
      isFormerNode,
      streamOf: (lease, record) =>
        new TenantStream<{ readonly tenantId: Uuid | null }>({
          tenantRecordId: lease.tenantRecordId,
          store,
          now: () => clock.now(),
          logger,
          counts,
          target: async () => {
            const tenant = await refOf(lease.tenantRecordId);
            return { tenantId: tenant === SYSTEM_TENANT ? null : tenant.id, retriesMs };
          },
          takeUp: async () =>
            claimEvents(ports, {
              store,
              lease,
              tenant: await refOf(lease.tenantRecordId),
              destinationOf: async ({ deliveries }) => {
                const after = await deliveries.lastEventId(sink.name);
                return after === null ? null : { after, url: sink.name };
              },
            }),
          isStrict: true,
          placeOf: () => ({}),
          send: (delivery, { tenantId }) => give(sink, delivery, tenantId),
          record,
        }),
    });
  }

  async function give(
    sink: EventSink,
    delivery: PushDelivery,
    tenantId: Uuid | null,
  ): Promise<AttemptOutcome> {
    const plugin = { kind: 'event sink', name: sink.name, timeoutMs: EVENT_SINK_TIMEOUT_MS };
    const { logger } = ports;
    try {
      const event = deliveredEvent(delivery, tenantId);
      await callPlugin(plugin, ports, async () => sink.onEvent(event));
      return { kind: 'DELIVERED', status: null };
    } catch (error) {
      const reason = reasonOf(error);
      const later = retryLaterOf(error);
      if (later !== undefined) return { kind: 'LATER', delayMs: later.delayMs, error: reason };
      const { id, eventType } = delivery;
      logger.warn(
        { err: error, sink: sink.name, eventId: id, eventType },
        'an event sink did not accept an event; it will be delivered again',
      );
      return { kind: 'FAILED', status: null, error: reason };
    }
  }

  return {
    counted,
    register,

    /** Returns the dispatchers of events, one per sink. Each engine has its own. */
    dispatchers(input: DispatcherInput): readonly PushDispatcher[] {
      return counted.map((counted) => dispatcherOf(counted, input));
    },

    /**
     * Deletes deliveries that are older than the retention time, and the data of sinks that have not been used for at
     * least that time.
     */
    async purge(retentionMs: number): Promise<void> {
      const { storage, clock } = ports;
      const before = addMilliseconds(clock.now(), -retentionMs);
      await Promise.all(counted.map(({ sink }) => storage.sink(sink.name).purge(before, PURGE_SIZE)));
      await register();
      await storage.sinks.forget(Math.max(retentionMs, EVENT_SINK_LEAST_KEPT_MS), PURGE_SIZE);
    },
  };
}

export type SinkService = ReturnType<typeof sinkService>;

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function createSinkLogger(logger: Logger, sink: string): Logger {
  return {
    debug: (fields, message) => logger.debug({ ...fields, sink }, message),
    info: (fields, message) => logger.info({ ...fields, sink }, message),
    warn: (fields, message) => logger.warn({ ...fields, sink }, message),
    error: (fields, message) => logger.error({ ...fields, sink }, message),
  };
}
