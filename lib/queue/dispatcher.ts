import type { TenantRef } from '../context.ts';
import {
  QUEUE_CLAIM_LIMIT,
  QUEUE_LEASE_MS,
  QUEUE_POLL_MS,
  QUEUE_REAP_THRESHOLD_MS,
  QUEUE_SETTLE_POLL_MS,
  QUEUE_SHUTDOWN_WAIT_MS,
  QUEUE_WORKERS,
} from '../limits.ts';
import type { Ports } from '../ports/index.ts';
import type { ClaimedEntry, WorkCause } from '../ports/storage/index.ts';
import { atMost } from '../wait/at-most.ts';
import { EntryCounts } from './entry-counts.ts';
import { EntryRunner } from './entry-runner.ts';
import type { QueueHandler } from './handler.ts';
import { Housekeeping } from './housekeeping.ts';
import { Signal } from './signal.ts';

export interface DispatcherOptions {
  /** In the order in which they handle an entry that several of them consume. */
  readonly handlers: readonly QueueHandler[];
  readonly tenantOf: (recordId: number) => Promise<TenantRef>;
  /** Unique name of this node (platform.md §15). */
  readonly node: string;
  /** Lease of a claim; default 5 minutes. */
  readonly leaseMs?: number;
  /** Age from which a dead claim is reaped; default 10 minutes. */
  readonly reapThresholdMs?: number;
  /** Poll when nothing wakes the dispatcher; default 3 seconds. */
  readonly pollMs?: number;
  /** What else is to be cared for from time to time; default nothing. */
  readonly housekeeping?: readonly (() => Promise<void>)[];
}

type DispatcherPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger'>;

/**
 * Claims due queue entries and hands them to their handlers in batches (platform.md §9.3): entries of one account one
 * at a time and in order across nodes, leases with heartbeat and fencing, bounded retries, reaping of dead claims.
 * `start` runs it in the background; `settle` works the queue until nothing is due, with or without the background.
 */
export class Dispatcher {
  /** What the handlers of this node have done. */
  readonly counts = new EntryCounts();
  readonly #ports: DispatcherPorts;
  readonly #options: { readonly node: string; readonly leaseMs: number; readonly pollMs: number };
  readonly #handlers: readonly QueueHandler[];
  readonly #topics: readonly string[];
  readonly #runner: EntryRunner;
  readonly #housekeeping: Housekeeping;
  readonly #signal: Signal;
  readonly #running = new Set<Promise<void>>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #claimed = new Map<number, ClaimedEntry>();
  #started = false;
  #stopping = false;
  #workers = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(ports: DispatcherPorts, options: DispatcherOptions) {
    this.#ports = ports;
    this.#handlers = options.handlers;
    this.#topics = [...new Set(options.handlers.flatMap((handler) => handler.topics))];
    const leaseMs = options.leaseMs ?? QUEUE_LEASE_MS;
    this.#options = { ...options, leaseMs, pollMs: options.pollMs ?? QUEUE_POLL_MS };
    this.#signal = new Signal(ports.systemClock);
    this.#runner = new EntryRunner(ports, { ...options, leaseMs, counts: this.counts });
    this.#housekeeping = new Housekeeping(ports, {
      reapThresholdMs: reapThreshold(leaseMs, options.reapThresholdMs ?? QUEUE_REAP_THRESHOLD_MS),
      onReaped: () => this.#wake(),
      others: options.housekeeping ?? [],
    });
    ports.storage.setConsumedTopics(new Set(this.#topics));
    this.#unsubscribe.push(ports.storage.onCommit(() => this.#wake()));
    const stopListening = ports.clock.onMove?.(() => this.#wake());
    if (stopListening) this.#unsubscribe.push(stopListening);
  }

  /** Whether the background of this node works on the queue. */
  get isWorking(): boolean {
    return this.#started && !this.#stopping;
  }

  /** Takes back what this node had claimed before it died; call once, before `start` or `settle`. */
  async recover(): Promise<void> {
    const { storage, systemClock } = this.#ports;
    const systemNowMs = systemClock.nowMs();
    const owner = storage.singleNode ? '*' : this.#options.node;
    const request = { systemNowMs, claimedBeforeMs: systemNowMs, limit: QUEUE_CLAIM_LIMIT, owner };
    let reaped = 0;
    do {
      reaped = await storage.queue.reap(request);
      if (reaped > 0)
        this.#ports.logger.info({ reaped, node: this.#options.node }, 'took back queue entries');
    } while (reaped === QUEUE_CLAIM_LIMIT);
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#unsubscribe.push(this.#ports.storage.queue.onSignal(() => this.#wake()));
    this.#housekeeping.start();
    this.#spawn();
  }

  /** Stops claiming, waits a bounded time for running handlers, then gives back what is still claimed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelTimer?.();
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#signal.raise();
    await this.#housekeeping.stop();
    await atMost(this.#ports.systemClock, QUEUE_SHUTDOWN_WAIT_MS, Promise.allSettled([...this.#running]));
    const left = [...this.#claimed.values()];
    if (left.length > 0) await this.#ports.storage.queue.release(left, this.#ports.systemClock.nowMs());
    await Promise.all(this.#handlers.map((handler) => handler.idle?.()));
  }

  /**
   * Works the queue until no entry is due or in processing, of one tenant or of all (null).
   * @returns false when `timeoutMs` of system time ran out before that.
   */
  async settle(tenantRecordId: number | null, timeoutMs: number): Promise<boolean> {
    const { storage, clock, systemClock } = this.#ports;
    const deadline = systemClock.nowMs() + timeoutMs;
    for (;;) {
      await systemClock.nextTurn();
      await clock.refresh?.();
      const raised = this.#signal.count;
      const claimed = await this.#claim();
      if (claimed.length > 0) await this.#track(this.#process(claimed));
      else if ((await storage.queue.countPending(tenantRecordId, clock.now())) === 0) return true;
      if (systemClock.nowMs() >= deadline) return false;
      if (claimed.length === 0) await this.#signal.wait(raised, QUEUE_SETTLE_POLL_MS);
    }
  }

  /**
   * Waits until no due work of the cause is left: done by the background of this node or of another, and where this one
   * has not been started by the call itself, which then works the queue like `settle`.
   * @returns false when `timeoutMs` of system time ran out before that, or the dispatcher is stopping.
   */
  async complete(tenantRecordId: number, cause: WorkCause, timeoutMs: number): Promise<boolean> {
    const { storage, clock, systemClock } = this.#ports;
    const deadline = systemClock.nowMs() + timeoutMs;
    for (;;) {
      await clock.refresh?.();
      const raised = this.#signal.count;
      if ((await storage.queue.countPending(tenantRecordId, clock.now(), cause)) === 0) return true;
      const leftMs = deadline - systemClock.nowMs();
      if (leftMs <= 0 || this.#stopping) return false;
      const claimed = this.#started ? [] : await this.#claim();
      if (claimed.length > 0) await atMost(systemClock, leftMs, this.#track(this.#process(claimed)));
      else await this.#signal.wait(raised, Math.min(leftMs, QUEUE_SETTLE_POLL_MS));
    }
  }

  #wake(): void {
    this.#signal.raise();
    if (this.#started) this.#spawn();
  }

  #spawn(): void {
    if (this.#stopping || this.#workers >= QUEUE_WORKERS) return;
    this.#workers += 1;
    void this.#track(this.#work());
  }

  /** One worker: claims and handles until nothing is due, then leaves; the last one sets the timer. */
  async #work(): Promise<void> {
    let failed = false;
    try {
      while (!this.#stopping && (await this.#workOnce()));
    } catch (error) {
      failed = true;
      this.#ports.logger.error(
        { err: error, node: this.#options.node },
        'queue dispatch failed; polling goes on',
      );
    } finally {
      this.#workers -= 1;
    }
    if (this.#workers === 0 && !this.#stopping) await this.#armTimer(failed);
  }

  /** False when nothing was due and nothing was signalled meanwhile. */
  async #workOnce(): Promise<boolean> {
    await this.#ports.systemClock.nextTurn();
    const raised = this.#signal.count;
    await this.#ports.clock.refresh?.();
    const claimed = await this.#claim();
    if (claimed.length === 0) return this.#signal.count !== raised;
    if (claimed.length === QUEUE_CLAIM_LIMIT) this.#spawn();
    await this.#process(claimed);
    return true;
  }

  /** Sleeps until the next notification falls due, at most one poll interval. */
  async #armTimer(afterFailure: boolean): Promise<void> {
    const delayMs = afterFailure ? this.#options.pollMs : await this.#msToNextDue();
    if (this.#stopping) return;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#ports.systemClock.after(delayMs, () => this.#spawn());
  }

  async #msToNextDue(): Promise<number> {
    try {
      const { clock, storage } = this.#ports;
      const nextDue = await storage.queue.nextDue(this.#topics);
      if (nextDue === null) return this.#options.pollMs;
      const untilDueMs = clock.msUntil?.(nextDue) ?? nextDue - clock.now();
      return Math.min(this.#options.pollMs, Math.max(0, untilDueMs));
    } catch (error) {
      this.#ports.logger.error({ err: error }, 'queue could not be read; polling goes on');
      return this.#options.pollMs;
    }
  }

  async #claim(): Promise<readonly ClaimedEntry[]> {
    const { storage, clock, systemClock, ids } = this.#ports;
    const claimed = await storage.queue.claim({
      node: this.#options.node,
      claimId: ids.next(),
      limit: QUEUE_CLAIM_LIMIT,
      topics: this.#topics,
      businessNow: clock.now(),
      systemNowMs: systemClock.nowMs(),
      leaseMs: this.#options.leaseMs,
    });
    for (const entry of claimed) this.#claimed.set(entry.recordId, entry);
    return claimed;
  }

  async #process(claimed: readonly ClaimedEntry[]): Promise<void> {
    try {
      await this.#runner.run(claimed);
    } finally {
      for (const entry of claimed) this.#claimed.delete(entry.recordId);
      this.#signal.raise();
    }
  }

  async #track(work: Promise<void>): Promise<void> {
    this.#running.add(work);
    try {
      await work;
    } finally {
      this.#running.delete(work);
    }
  }
}

/** platform.md §9.3 rule 7: a claim is never reaped before its own lease has had time to end. */
function reapThreshold(leaseMs: number, thresholdMs: number): number {
  return leaseMs >= thresholdMs ? leaseMs + QUEUE_LEASE_MS : thresholdMs;
}
