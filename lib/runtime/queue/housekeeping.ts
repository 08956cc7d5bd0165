import type { Ports } from '../../ports/index.ts';
import type { QueueStore } from '../../ports/storage/index.ts';
import { QUEUE_CLAIM_LIMIT, QUEUE_PURGE_SIZE } from '../../values/limits.ts';
import { addMilliseconds } from '../../values/time/index.ts';
import type { ReapLane } from './queue-settings.ts';

/** Interval at which old records are purged. */
const PURGE_SCHEDULE_MS = 3 * 60_000;

type HousekeepingPorts = Pick<Ports, 'clock' | 'systemClock' | 'logger'> & {
  readonly storage: { readonly queue: Pick<QueueStore, 'reap' | 'purgeHistory'> };
};

/** A piece of periodic work. */
export interface Care {
  readonly everyMs: number;
  run(): Promise<void>;
}

/**
 * Periodic care of the queue (§9.3 rules 7 and 9) and of what else grows old: records entries that are taken back again
 * and again and purges old history, a bounded number at a time. Any number of nodes may do it; what one has done, the
 * next finds done.
 */
export class Housekeeping {
  readonly #ports: HousekeepingPorts;
  readonly #cares: readonly Care[];
  readonly #cancels = new Map<Care, () => void>();
  readonly #running = new Map<Care, Promise<void>>();
  #stopped = false;

  constructor(
    ports: HousekeepingPorts,
    input: {
      readonly reapers: readonly ReapLane[];
      readonly historyRetentionMs: number;
      readonly onReaped: () => void;
      readonly others: readonly (() => Promise<void>)[];
      /** Work with a pace of its own; default none. */
      readonly cares?: readonly Care[];
    },
  ) {
    this.#ports = ports;
    const { reapers, historyRetentionMs, onReaped, others } = input;
    this.#cares = [
      ...reapers.map((lane) => ({ everyMs: lane.scheduleMs, run: () => reap(ports, lane, onReaped) })),
      {
        everyMs: PURGE_SCHEDULE_MS,
        run: async () => {
          const before = addMilliseconds(ports.clock.now(), -historyRetentionMs);
          await ports.storage.queue.purgeHistory(before, QUEUE_PURGE_SIZE);
          for (const other of others) await other();
        },
      },
      ...(input.cares ?? []),
    ];
  }

  start(): void {
    for (const care of this.#cares) this.#schedule(care);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#cancels.values()) cancel();
    await Promise.all(this.#running.values());
  }

  #schedule(care: Care): void {
    const cancel = this.#ports.systemClock.after(care.everyMs, () => {
      const round = this.#round(care).finally(() => (this.#stopped ? undefined : this.#schedule(care)));
      this.#running.set(care, round);
    });
    this.#cancels.set(care, cancel);
  }

  async #round(care: Care): Promise<void> {
    try {
      await care.run();
    } catch (error) {
      this.#ports.logger.error({ err: error }, 'care of old rows failed; it comes again');
    }
  }
}

async function reap(ports: HousekeepingPorts, lane: ReapLane, onReaped: () => void): Promise<void> {
  const systemNowMs = ports.systemClock.nowMs();
  const reaped = await ports.storage.queue.reap({
    systemNowMs,
    businessNow: ports.clock.now(),
    claimedBeforeMs: systemNowMs - lane.thresholdMs,
    maxLapses: lane.maxLapses,
    limit: QUEUE_CLAIM_LIMIT,
    ...(lane.kind === null ? {} : { kind: lane.kind }),
  });
  if (reaped === 0) return;
  ports.logger.error({ reaped }, 'the node that works on these queue entries dies again and again');
  onReaped();
}
