import { SystemTag } from '../control-tags/index.ts';
import type { Ports, ProcessGauges } from '../ports/index.ts';
import type { Sample } from '../ports/storage/index.ts';
import { QueueKind } from '../records/index.ts';
import { MAX_LATE_ENTRIES, SAMPLES_KEPT_MS } from '../values/limits.ts';
import { addMilliseconds } from '../values/time/index.ts';
import type { Measured, NodeMeters } from './node-meters.ts';

/** Milliseconds between the samples that each node stores. */
const SAMPLES_EVERY_MS = 60_000;

/** Number of access log rows that are deleted at a time. */
const ACCESS_PURGE_SIZE = 5_000;

type RecorderPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'logger'>;

interface RecorderInput {
  readonly nodeName: string;
  readonly meters: NodeMeters;
  /** Gauges of the process. If undefined, samples of the process are not stored. */
  readonly process: ProcessGauges | undefined;
  readonly lateThresholdMs: number;
  readonly accessRetentionMs: number;
  /** Returns the number of failed pushes since this node was opened. */
  readonly failedPushes: () => number;
}

const gauges = {
  BUS: { late: 'queue.bus.late', processing: 'queue.bus.processing' },
  NOTIFICATION: { late: 'queue.notifications.late', processing: 'queue.notifications.processing' },
} as const;

/**
 * Stores the samples of this node every minute (platform §12.2). The first node also stores samples of the whole
 * deployment.
 */
export class SampleRecorder {
  readonly #ports: RecorderPorts;
  readonly #input: RecorderInput;
  #countedPushes = 0;
  #cancelTimer: (() => void) | undefined;
  #recording: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(ports: RecorderPorts, input: RecorderInput) {
    this.#ports = ports;
    this.#input = input;
  }

  start(): void {
    if (this.#cancelTimer !== undefined || this.#stopped) return;
    this.#input.process?.eventLoopLagMs();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#recording;
  }

  /** Stores the samples of the current minute. */
  async record(): Promise<void> {
    const { storage, systemClock } = this.#ports;
    const minuteMs = Math.floor(systemClock.nowMs() / SAMPLES_EVERY_MS) * SAMPLES_EVERY_MS;
    const pushes = this.#input.failedPushes();
    this.#input.meters.mark('push.failed', pushes - this.#countedPushes);
    this.#countedPushes = pushes;
    const [ofAll, pool] = await Promise.all([this.#deployment(), storage.poolUse()]);
    const own = [
      ...this.#process(),
      ...(pool === null ? [] : [gauge('db.pool.active', pool.inUse)]),
      ...this.#input.meters.read(),
    ];
    const at =
      (nodeName: string) =>
      (measured: Measured): Sample => ({ atMs: minuteMs, nodeName, ...measured });
    await storage.monitoring.addSamples([...ofAll.map(at('')), ...own.map(at(this.#input.nodeName))]);
  }

  /** Deletes expired samples and requests. */
  async purge(): Promise<void> {
    const nowMs = this.#ports.systemClock.nowMs();
    const purge = () =>
      this.#ports.storage.monitoring.purge({
        accessMs: nowMs - this.#input.accessRetentionMs,
        samplesMs: nowMs - SAMPLES_KEPT_MS,
        limit: ACCESS_PURGE_SIZE,
      });
    while ((await purge()) >= ACCESS_PURGE_SIZE && !this.#stopped);
  }

  #schedule(): void {
    const { systemClock, logger } = this.#ports;
    const untilNextMs = SAMPLES_EVERY_MS - (systemClock.nowMs() % SAMPLES_EVERY_MS);
    this.#cancelTimer = systemClock.after(untilNextMs, () => {
      this.#recording = this.record()
        .catch((error: unknown) => logger.warn({ err: error }, 'samples were not stored; sampling continues'))
        .finally(() => (this.#stopped ? undefined : this.#schedule()));
    });
  }

  async #deployment(): Promise<readonly Measured[]> {
    const { storage, clock } = this.#ports;
    const since = addMilliseconds(clock.now(), -this.#input.lateThresholdMs);
    const ofKind = async (kind: QueueKind): Promise<readonly Measured[]> => {
      const [{ late }, processing] = await Promise.all([
        storage.queue.backlog({ since, limit: MAX_LATE_ENTRIES + 1, kind }),
        storage.entries.countProcessing(kind),
      ]);
      return [gauge(gauges[kind].late, late), gauge(gauges[kind].processing, processing)];
    };
    const [bus, notifications, parked] = await Promise.all([
      ofKind(QueueKind.BUS),
      ofKind(QueueKind.NOTIFICATION),
      storage.monitoring.countTagged(SystemTag.PARK),
    ]);
    return [...bus, ...notifications, gauge('accounts.parked', parked)];
  }

  #process(): readonly Measured[] {
    const { process } = this.#input;
    if (process === undefined) return [];
    return [gauge('process.memory', process.memoryBytes()), gauge('eventloop.lag', process.eventLoopLagMs())];
  }
}

function gauge(eventCategory: string, value: number): Measured {
  return { eventGroup: 'gauge', eventCategory, kinds: { value } };
}
