import { purgeQuotas } from '../features/index.ts';
import { type HealthReport, healthReport } from '../health/index.ts';
import { purgeInvoiceAnnouncements, purgeThresholdAnnouncements } from '../invoicing/index.ts';
import { type Metric, metricsReader } from '../metrics/index.ts';
import type { NodeService } from '../nodes/index.ts';
import type { Ports } from '../ports/index.ts';
import type { StoragePolicy } from '../ports/storage/index.ts';
import type { PushDispatcher } from '../push/index.ts';
import type { CallContext, TenantRef, WithContext } from '../records/index.ts';
import {
  atMost,
  type DatabaseTime,
  Dispatcher,
  hasWork,
  pollMsOf,
  runDetached,
  runInChildSpan,
  traceParentOf,
} from '../runtime/index.ts';
import { lostSecrets } from '../security/index.ts';
import {
  busyPausesOf,
  lockWaitOf,
  queueSettingsOf,
  type ServerSettings,
  skippedEventsOf,
} from '../tenants/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { QUEUE_SHUTDOWN_WAIT_MS } from '../values/limits.ts';
import { addMilliseconds, type Instant } from '../values/time/index.ts';
import type { BillingOptions } from './billing-options.ts';
import type { Calls } from './calls.ts';
import type { Engine } from './engine.ts';
import { checkedControl } from './inputs/server-inputs.ts';
import type { Monitor } from './monitoring.ts';
import type { Operations } from './operations.ts';
import {
  type SettableClock,
  type SettleThroughOptions,
  type Settling,
  settleThrough,
} from './settle-through.ts';

/**
 * Milliseconds between comparisons of the node's clock with the database's clock. The interval is shorter than a
 * lease.
 */
const COMPARE_TIME_EVERY_MS = 10_000;

/** Default timeout of `settle` in milliseconds of system time. */
export const SETTLE_TIMEOUT_MS = 60_000;

/** Controls the background work of an engine and reports the condition of the engine. */
export interface BillingControl {
  /**
   * Starts the background work and announces this node to the other nodes. The work does not keep the process alive:
   * a worker without a server needs its own timer, which it clears before `close`.
   */
  start(): void;
  /**
   * Processes the queue of one tenant or of all tenants until no entry is due or being processed. Also sends due
   * pushes and delivers due events to sinks. Takes at most `timeoutMs` of system time. Deterministic with a fake
   * clock. Returns false at the timeout.
   */
  settle(options?: { readonly tenant?: TenantRef; readonly timeoutMs?: number }): Promise<boolean>;
  /**
   * Moves the engine's clock to each instant at which work is due, does that work, and ends at `until`.
   * `until` is a date-time, or a date (its midnight in UTC). A renewal on the 1st and a retry on the 4th
   * therefore happen at their own instants; moving the clock once would do both at the end date.
   * @returns the instants of the clock, including the first and the last.
   * @throws BillingError INVALID_PARAMETER (60002) for a clock that cannot be set or is not the engine's, and
   * for a time in the past; BUSY (60018) if due work is not done within `timeoutMs` of system time (default
   * ten minutes).
   *
   * @example const clock = fakeClock('2024-01-01'); const billing = await Billing.open({ storage:
   * sqlite(':memory:'), clock }); await billing.settleThrough(clock, '2025-01-01');
   */
  settleThrough(
    clock: SettableClock,
    until: string | Instant | Date,
    options?: SettleThroughOptions,
  ): Promise<readonly Instant[]>;
  /**
   * Waits until the due work that a call with this context caused is done, such as an invoice and its payment.
   * Follows the user token of the context through the queue (subscriptions §22, call completion), whichever node does
   * the work. Processes the queue itself if `start` was not called. `timeoutMs` is system time, at most
   * `server.callCompletion.maxSec`. With `accountId` the wait is cheaper.
   * @returns false at the timeout; the effects of the call remain.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  completion(context: CallContext, timeoutMs: number, accountId?: Uuid | string): Promise<boolean>;
  /** Resolves if the storage responds. */
  ping(): Promise<void>;
  /**
   * Removes this node from rotation for maintenance, or adds it again. Out of rotation, the health check
   * `rotation` fails and the HTTP adapter rejects changes. Library calls and due work continue.
   */
  setInRotation(isInRotation: boolean): void;
  /** Returns true if this node is in rotation. A new node starts in rotation. */
  isInRotation(): boolean;
  /** Returns the results of this node's health checks (platform §13). */
  health(): Promise<HealthReport>;
  /** Returns measurements of this node's queue, work and database connections (platform §13). */
  metrics(): Promise<readonly Metric[]>;
  /**
   * Stops the background work. Waits up to 15 s for running work and releases the rest. Calls continue, except waits
   * such as `settle` and `completion`, which end.
   */
  stop(): Promise<void>;
  /**
   * Stops the background work, waits up to 15 s for running calls and closes the storage. Later calls throw
   * BillingError BUSY (60018), even through objects that `as` or `within` returned earlier.
   */
  close(): Promise<void>;
}

const CHECK_FAILED = 'the stored secrets could not be checked; the health check tries again';

/**
 * Checks repeatedly for secrets that the server key cannot decrypt, until it can decrypt all of them. Logs the names
 * of these secrets once (platform §6.3 rule 4).
 */
function secretWatch(ports: Pick<Ports, 'storage' | 'cipher' | 'systemClock' | 'logger'>) {
  let areReadable = false;
  let isLogged = false;
  return {
    async lost(): Promise<readonly string[]> {
      if (areReadable) return [];
      const secrets = await lostSecrets(ports);
      areReadable = secrets.length === 0;
      if (!areReadable && !isLogged) {
        isLogged = true;
        ports.logger.warn(
          { secrets },
          'the server key was changed: these stored secrets cannot be decrypted',
        );
      }
      return secrets;
    },
  };
}

interface ControlParts<Host> {
  readonly options: BillingOptions<Host>;
  readonly ports: Ports;
  /** The time of the database, or null if the host supplies the clocks. */
  readonly time: DatabaseTime | null;
  readonly server: ServerSettings;
  readonly engine: Engine;
  /** Name of this node. */
  readonly node: string;
  readonly monitor: Monitor;
}

/** The background work of an engine. */
interface Background {
  readonly dispatcher: Dispatcher;
  /** Dispatchers of pushes: one for callbacks and one for each event sink. */
  readonly pushes: readonly PushDispatcher[];
  readonly nodes: NodeService;
}

/** Returns the settings and callbacks that the engine passes to the storage. */
export function storagePolicyOf({
  ports,
  server,
  engine,
}: Pick<ControlParts<never>, 'ports' | 'server' | 'engine'>): StoragePolicy {
  return {
    countThreshold: server['server.pagination.countThreshold'],
    lockWaitOf: lockWaitOf(engine.settingsOf),
    skippedEventsOf: skippedEventsOf(engine.settingsOf),
    jobsOfEvents: engine.jobsOfEvents,
    eventIdOf: engine.eventIdOf,
    writesCreditNotesOf: async (session) => (await engine.settingsOf(session))['invoice.creditNotes'],
    ...(ports.tracer !== undefined && {
      traceParentOf: (accountRecordId) => traceParentOf(ports, accountRecordId),
      aroundWrite: (write) => runInChildSpan(ports, () => ({ name: 'transaction', kind: 'INTERNAL' }), write),
    }),
    onEvents: (events) => engine.eventCounts.add(events),
    isConsumed: (event, now) => hasWork(engine.handlers, event, now),
    pollMs: pollMsOf(queueSettingsOf(server)),
  };
}

/** Returns the dispatcher for the topics of the engine's handlers. */
export function dispatcherOf<Host>(parts: ControlParts<Host>, nodes: Pick<NodeService, 'purge'>): Dispatcher {
  const { options, ports, time, server, engine, node, monitor } = parts;
  const { push } = engine;
  return new Dispatcher(ports, {
    handlers: engine.handlers,
    tenantOf: (recordId) => engine.tenants.refOfRecord(recordId),
    busyPausesOf: busyPausesOf(ports.storage, engine.settingsOf),
    node,
    ...(options.isFormerNode === undefined ? {} : { isFormerNode: options.isFormerNode }),
    settings: queueSettingsOf(server),
    historyRetentionMs: server['queue.history.retention'],
    housekeeping: [
      engine.idempotency.purge.bind(engine.idempotency),
      engine.security.tokenKeys.purge.bind(engine.security.tokenKeys),
      () => monitor.recorder.purge(),
      () => nodes.purge(addMilliseconds(ports.clock.now(), -server['queue.history.retention'])),
      ...(push === null ? [] : [() => push.purge(server['queue.history.retention'])]),
      () => engine.sinks.purge(server['queue.history.retention']),
      () => purgeInvoiceAnnouncements(ports, server['queue.history.retention']),
      () => purgeQuotas(ports),
      () => purgeThresholdAnnouncements(ports, server['queue.history.retention']),
    ],
    cares: [
      ...(time === null ? [] : [{ everyMs: COMPARE_TIME_EVERY_MS, run: () => time.compare() }]),
      {
        everyMs: server['payment.janitor.rate'],
        run: () =>
          engine.attempts.sweep({
            olderThanMs: server['payment.janitor.attempts.delay'],
            tenantOf: (recordId) => engine.tenants.refOfRecord(recordId),
          }),
      },
    ],
  });
}

/** Returns the dispatchers of events to sinks and, if the engine has a push sender, of pushes. */
export function pushDispatchersOf<Host>({
  options,
  engine,
  node,
}: ControlParts<Host>): readonly PushDispatcher[] {
  const tenantOf = (recordId: number): Promise<TenantRef> => engine.tenants.refOfRecord(recordId);
  const input = { node, isFormerNode: options.isFormerNode, tenantOf };
  const toSinks = engine.sinks.dispatchers(input);
  return engine.push === null ? toSinks : [engine.push.dispatcher(input), ...toSinks];
}

/** Returns the due time of the next queue entry or push after now, or null if nothing is queued. */
export async function nextDueOf(
  { clock }: Pick<Ports, 'clock'>,
  { dispatcher, pushes }: Pick<Background, 'dispatcher' | 'pushes'>,
): Promise<Instant | null> {
  const now = clock.now();
  const due = await Promise.all([dispatcher, ...pushes].map((each) => each.nextDue()));
  return earliest(due.filter((each) => each !== null && each > now));
}

/** Returns the earliest instant, or null if there is no instant. */
export function earliest(instants: readonly (Instant | null)[]): Instant | null {
  return instants.reduce(
    (soonest, each) => (each !== null && (soonest === null || each < soonest) ? each : soonest),
    null,
  );
}

export function controlOf<Host>(
  {
    options,
    ports,
    server,
    engine,
    monitor,
    operations,
  }: ControlParts<Host> & {
    readonly operations: Pick<Operations<WithContext>, 'accounts'>;
  },
  { dispatcher, pushes, nodes }: Background,
  calls: Calls,
): BillingControl {
  let inRotation = true;
  const secrets = secretWatch(ports);
  const health = (): Promise<HealthReport> =>
    healthReport(
      { ...ports, systemClock: options.systemClock },
      {
        isInRotation: () => inRotation,
        lostSecrets: secrets.lost,
        workedOn: () => dispatcher.workedOn,
        lateThresholdMs: server['health.lateThreshold'],
      },
    );
  const metrics = metricsReader(ports, {
    entries: dispatcher.counts,
    pushes: engine.push?.counts,
    sinks: engine.sinks.counted.map(({ sink, counts }) => ({ name: sink.name, counts })),
    events: engine.eventCounts,
    runs: engine.runCounts,
  });
  const stop = async (): Promise<void> => {
    const sent = pushes.map((each) => each.stop());
    await Promise.all([dispatcher.stop(), ...sent, nodes.stop(), monitor.recorder.stop()]);
  };
  const close = async (): Promise<void> => {
    const ended = calls.close();
    const unsubscribed = engine.events.close();
    await stop();
    await atMost(ports.systemClock, QUEUE_SHUTDOWN_WAIT_MS, Promise.all([ended, unsubscribed]));
    await engine.idle();
    await monitor.accessLog.close();
    await ports.pushSender?.close?.();
    await options.storage.close();
  };
  const settle = async (tenantRecordId: number | null, timeoutMs: number): Promise<boolean> => {
    const endsAtMs = ports.systemClock.nowMs() + timeoutMs;
    const remainingMs = (): number => endsAtMs - ports.systemClock.nowMs();
    const isSettled = await dispatcher.settle(tenantRecordId, remainingMs());
    const areSent = await Promise.all(pushes.map((each) => each.settle(tenantRecordId, remainingMs())));
    return isSettled && areSent.every(Boolean);
  };
  const settling: Settling = {
    settle: (timeoutMs) => settle(null, timeoutMs),
    nextDue: () => nextDueOf(ports, { dispatcher, pushes }),
  };
  let closing: Promise<void> | undefined;
  return {
    start: () => {
      calls.check();
      runDetached(ports, () => {
        dispatcher.start();
        for (const each of pushes) each.start();
        nodes.start();
        monitor.recorder.start();
        void secrets.lost().catch((error: unknown) => ports.logger.warn({ err: error }, CHECK_FAILED));
      });
    },
    ...calls.of(
      checkedControl({
        settle: (settling: Parameters<BillingControl['settle']>[0]) =>
          settle(settling?.tenant?.recordId ?? null, settling?.timeoutMs ?? SETTLE_TIMEOUT_MS),
        settleThrough: (...given: Parameters<BillingControl['settleThrough']>) =>
          settleThrough(ports, settling, given),
        completion: async (context: CallContext, timeoutMs: number, accountId?: Uuid | string) => {
          const account = accountId === undefined ? null : await operations.accounts.get(context, accountId);
          const cause = { userToken: context.userToken, accountRecordId: account?.recordId ?? null };
          const limitMs = Math.min(timeoutMs, server['server.callCompletion.maxSec'] * 1_000);
          return dispatcher.complete(context.tenant.recordId, cause, limitMs);
        },
        ping: () => ports.storage.system.ping(),
        health,
        metrics,
      }),
    ),
    isInRotation: () => {
      calls.check();
      return inRotation;
    },
    setInRotation: (wanted) => {
      calls.check();
      inRotation = wanted;
      ports.logger.warn({ inRotation }, 'the rotation state of this node was set');
    },
    stop,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
