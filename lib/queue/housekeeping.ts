import {
  QUEUE_HISTORY_RETENTION_MS,
  QUEUE_PURGE_SIZE,
  QUEUE_REAP_BATCH,
  QUEUE_REAP_SCHEDULE_MS,
} from '../limits.ts';
import type { Ports } from '../ports/index.ts';
import { addMilliseconds } from '../time/index.ts';

/**
 * Periodic care of the queue (platform.md §9.3 rules 7 and 9) and of what else grows old: takes over claims of dead nodes
 * and purges old history, a bounded number at a time. Any number of nodes may do it; what one has done the next finds done.
 */
export class Housekeeping {
  readonly #ports: Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'logger'>;
  readonly #reapThresholdMs: number;
  readonly #onReaped: () => void;
  readonly #others: readonly (() => Promise<void>)[];
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    ports: Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'logger'>,
    input: {
      readonly reapThresholdMs: number;
      readonly onReaped: () => void;
      readonly others: readonly (() => Promise<void>)[];
    },
  ) {
    this.#ports = ports;
    this.#reapThresholdMs = input.reapThresholdMs;
    this.#onReaped = input.onReaped;
    this.#others = input.others;
  }

  start(): void {
    this.#cancel = this.#ports.systemClock.after(QUEUE_REAP_SCHEDULE_MS, () => {
      this.#running = this.#round().finally(() => (this.#stopped ? undefined : this.start()));
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#running;
  }

  async #round(): Promise<void> {
    const { storage, clock, systemClock, logger } = this.#ports;
    const systemNowMs = systemClock.nowMs();
    const claimedBeforeMs = systemNowMs - this.#reapThresholdMs;
    try {
      const reaped = await storage.queue.reap({ systemNowMs, claimedBeforeMs, limit: QUEUE_REAP_BATCH });
      if (reaped > 0) this.#onReaped();
      await storage.queue.purgeHistory(
        addMilliseconds(clock.now(), -QUEUE_HISTORY_RETENTION_MS),
        QUEUE_PURGE_SIZE,
      );
      for (const care of this.#others) await care();
    } catch (error) {
      logger.error({ err: error }, 'care of old rows failed; it comes again');
    }
  }
}
