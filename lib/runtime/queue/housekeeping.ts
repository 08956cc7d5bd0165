import type { Ports, SystemClock } from '../../ports/index.ts';
import type { ClaimedEntry, QueueStore } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { QUEUE_CLAIM_LIMIT, QUEUE_PURGE_SIZE } from '../../values/limits.ts';
import { addMilliseconds } from '../../values/time/index.ts';
import type { ReapLane } from './queue-settings.ts';

/** Milliseconds between purges of old records. */
const PURGE_SCHEDULE_MS = 3 * 60_000;

type HousekeepingPorts = Pick<Ports, 'clock' | 'systemClock' | 'logger'> & {
  readonly storage: { readonly queue: Pick<QueueStore, 'reap' | 'purgeHistory'> };
};

/** Periodic work. */
export interface Care {
  readonly everyMs: number;
  run(): Promise<void>;
}

/**
 * Reaps lapsed entries and deletes old history (§9.3 rules 7 and 9). It processes a limited number of entries at a time
 * and can run on any number of nodes.
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
      this.#ports.logger.error({ err: error }, 'cleanup of old rows failed; it will be retried');
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
  ports.logger.error({ reaped }, 'the node that processes these queue entries keeps crashing');
  onReaped();
}

/** Number of renewals within a lease. */
const BEATS_PER_LEASE = 3;

/**
 * The leases of a node's claims (§9.3 rules 6 and 7). They are renewed together, so that all work of a failed node is
 * released at the same time.
 */
export class Leases {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>;
  readonly #leaseMs: number;
  readonly #held = new Map<number, ClaimedEntry>();
  /** Claims on which this node no longer works, but which are still stored because the database failed. */
  readonly #lost = new Set<Uuid>();
  #claiming = 0;
  #endsAtMs = 0;
  #cancelBeat: (() => void) | undefined;

  constructor(ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>, leaseMs: number) {
    this.#ports = ports;
    this.#leaseMs = leaseMs;
  }

  get held(): readonly ClaimedEntry[] {
    return [...this.#held.values()];
  }

  /** Returns the time at which the lease of a new claim ends, in system time. Call `endClaim` afterward. */
  beginClaim(): number {
    this.#claiming += 1;
    if (this.#cancelBeat === undefined) this.#scheduleBeat();
    return this.#endsAtMs;
  }

  /** Ends the claim and starts to renew the leases of the claimed entries. */
  endClaim(claimed: readonly ClaimedEntry[]): void {
    this.#claiming -= 1;
    for (const entry of claimed) this.#held.set(entry.recordId, entry);
    this.#restIfIdle();
  }

  letGo(entries: readonly ClaimedEntry[]): void {
    for (const entry of entries) this.#held.delete(entry.recordId);
    this.#restIfIdle();
  }

  /**
   * Remembers claims whose entries were neither finished nor released, or whose response from the database was lost.
   */
  lose(claimIds: readonly Uuid[]): void {
    for (const claimId of claimIds) this.#lost.add(claimId);
  }

  /** Releases the lost claims before their leases expire. Returns the number of released entries. */
  async takeBackLost(): Promise<number> {
    const lost = [...this.#lost];
    if (lost.length === 0) return 0;
    const released = await this.#ports.storage.queue.takeBack(lost);
    for (const claimId of lost) this.#lost.delete(claimId);
    return released;
  }

  #restIfIdle(): void {
    if (this.#claiming > 0 || this.#held.size > 0) return;
    this.#cancelBeat?.();
    this.#cancelBeat = undefined;
  }

  #scheduleBeat(): void {
    const { systemClock } = this.#ports;
    this.#endsAtMs = systemClock.nowMs() + this.#leaseMs;
    const everyMs = Math.max(1, Math.floor(this.#leaseMs / BEATS_PER_LEASE));
    this.#cancelBeat = systemClock.after(everyMs, () => this.#beat());
  }

  /** Renews the leases. Schedules the next renewal first, in case the current renewal never returns. */
  #beat(): void {
    this.#scheduleBeat();
    this.#ports.storage.queue
      .renew(this.held, this.#endsAtMs)
      .catch((error: unknown) => this.#ports.logger.warn({ err: error }, 'renewing queue leases failed'));
  }
}

/** A counter. When it is incremented, all waiters wake up. */
export class Signal {
  readonly #systemClock: SystemClock;
  #waiters: (() => void)[] = [];
  #count = 0;

  constructor(systemClock: SystemClock) {
    this.#systemClock = systemClock;
  }

  get count(): number {
    return this.#count;
  }

  raise(): void {
    this.#count += 1;
    for (const wake of this.#waiters.splice(0)) wake();
  }

  /** Resolves when the count is greater than `seen`, or after `timeoutMs` of system time. */
  async wait(seen: number, timeoutMs: number): Promise<void> {
    if (this.#count > seen) return;
    await new Promise<void>((resolve) => {
      const giveUp = (): void => {
        this.#waiters = this.#waiters.filter((waiter) => waiter !== wake);
        resolve();
      };
      const cancel = this.#systemClock.after(timeoutMs, giveUp, { keepAlive: true });
      const wake = (): void => {
        cancel();
        resolve();
      };
      this.#waiters.push(wake);
    });
  }
}
