import type { Clock, IdGenerator, Logger, SystemClock } from '../ports/index.ts';
import type { PushLease, PushStore } from '../ports/storage/index.ts';
import { type ActivityPorts, atMost, runDetached } from '../runtime/index.ts';
import { PUSH_LEASE_MS, QUEUE_SETTLE_POLL_MS, QUEUE_SHUTDOWN_WAIT_MS } from '../values/limits.ts';
import type { Instant } from '../values/time/index.ts';
import type { AfterAttempt } from './delivery-after-attempt.ts';
import type { Stream } from './tenant-stream.ts';

/**
 * Maximum number of tenants that a node serves at a time. Below this number, a slow receiver does not delay other
 * tenants.
 */
const PUSHING_TENANTS = 500;

const PUSH_POLL_MS = 3_000;

interface PushPorts extends ActivityPorts {
  readonly storage: { readonly push: PushStore; readonly singleNode: boolean };
  readonly clock: Clock;
  readonly systemClock: SystemClock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
}

const BEATS_PER_LEASE = 3;

interface PushDispatcherOptions {
  readonly node: string;
  /** Returns true if the name belonged to a process of this node that has ended. By default, always returns false. */
  readonly isFormerNode?: ((name: string) => boolean) | undefined;
  /** Creates the stream of a tenant. The stream calls `record` to store the results of its attempts. */
  readonly streamOf: (
    lease: PushLease,
    record: (changes: readonly AfterAttempt[]) => Promise<boolean>,
  ) => Stream;
}

/**
 * Sends due pushes (platform §10.2). One node at a time serves a tenant, and tenants do not wait for each other. Runs
 * after a write by this process or a clock move, and when a retry is due. Polls for writes by other nodes.
 */
export class PushDispatcher {
  readonly #ports: PushPorts;
  readonly #options: PushDispatcherOptions;
  readonly #streams = new Map<number, { readonly stream: Stream; readonly lease: PushLease }>();
  /** Leases that could not be released when their streams finished, because the database failed. */
  readonly #lost = new Set<PushLease>();
  /** Promises of the running streams. Each promise resolves to true if there may be more deliveries to send. */
  readonly #running = new Set<Promise<boolean>>();
  readonly #unsubscribe: (() => void)[] = [];
  #started = false;
  #stopping = false;
  #looking: Promise<void> | undefined;
  /** True if something has been written since the current search started. */
  #lookAgain = false;
  #cancelTimer: (() => void) | undefined;
  #cancelBeat: (() => void) | undefined;

  constructor(ports: PushPorts, options: PushDispatcherOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#unsubscribe.push(ports.storage.push.onWritten((tenant) => this.#wakeFor(tenant)));
    const stopListening = ports.clock.onMove?.(() => this.#wake());
    if (stopListening) this.#unsubscribe.push(stopListening);
  }

  /** Releases tenants of earlier processes of this node. Call this once, before `start` or `settle`. */
  async recover(): Promise<void> {
    const { storage } = this.#ports;
    const { node, isFormerNode } = this.#options;
    const owners = await storage.push.owners();
    await storage.push.releaseFrom(
      owners.filter((name) => storage.singleNode || name === node || isFormerNode?.(name) === true),
    );
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#wake();
  }

  /** Stops starting attempts, waits a limited time for running attempts, and releases the tenants. */
  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    for (const { stream } of this.#streams.values()) stream.stop();
    await atMost(this.#ports.systemClock, QUEUE_SHUTDOWN_WAIT_MS, this.#allEnded());
    this.#cancelTimer?.();
    this.#cancelBeat?.();
  }

  nextDue(): Promise<Instant | null> {
    const { clock, storage } = this.#ports;
    return storage.push.nextDue(clock.now());
  }

  /**
   * Sends the pushes of one tenant, or of all tenants (null), until nothing is due.
   * @returns false after `timeoutMs` of system time, or if the dispatcher is stopping.
   */
  async settle(tenantRecordId: number | null, timeoutMs: number): Promise<boolean> {
    const { storage, clock, systemClock } = this.#ports;
    const deadlineMs = systemClock.nowMs() + timeoutMs;
    for (;;) {
      if (this.#stopping) return false;
      await clock.refresh?.();
      if (!(await storage.push.hasDue(tenantRecordId, clock.now()))) return true;
      const leftMs = deadlineMs - systemClock.nowMs();
      if (leftMs <= 0) return false;
      await this.#look();
      const never = new Promise<never>(() => undefined);
      const ended = this.#running.size > 0 ? Promise.race(this.#running) : never;
      const pauseMs = Math.min(leftMs, QUEUE_SETTLE_POLL_MS);
      // Events held back by another transaction appear when that transaction ends.
      if ((await atMost(systemClock, pauseMs, ended)) === false) await atMost(systemClock, pauseMs, never);
    }
  }

  /**
   * Wakes the tenant's stream if it is running. Otherwise, wakes all streams and starts a search for tenants with due
   * pushes.
   */
  #wakeFor(tenantRecordId: number | null): void {
    const running = tenantRecordId === null ? undefined : this.#streams.get(tenantRecordId);
    if (running === undefined) this.#wake();
    else running.stream.wake();
  }

  #wake(): void {
    for (const { stream } of this.#streams.values()) stream.wake();
    if (!this.#started || this.#stopping) return;
    this.#lookAgain = true;
    // The search is detached from the caller's work.
    this.#looking ??= runDetached(this.#ports, () => this.#lookInBackground());
  }

  /** Searches again if requested. All commits during a search together cause one more search. */
  async #lookInBackground(): Promise<void> {
    const { systemClock, clock, logger } = this.#ports;
    this.#cancelTimer?.();
    let delayMs = PUSH_POLL_MS;
    try {
      while (this.#lookAgain && !this.#stopping) {
        await systemClock.nextTurn();
        this.#lookAgain = false;
        await clock.refresh?.();
        await this.#look();
        if (!this.#lookAgain) delayMs = Math.min(PUSH_POLL_MS, await this.#msToNextDue());
      }
    } catch (error) {
      logger.error({ err: error }, 'due pushes could not be read; reading will be retried');
    }
    if (!this.#stopping) this.#cancelTimer = systemClock.after(delayMs, () => this.#wake());
    this.#looking = undefined;
  }

  async #msToNextDue(): Promise<number> {
    const { clock } = this.#ports;
    const now = clock.now();
    const next = await this.nextDue();
    if (next === null) return Number.POSITIVE_INFINITY;
    return Math.max(0, clock.msUntil?.(next) ?? next - now);
  }

  /** Leases tenants that have due pushes and are not served by any node. */
  async #look(): Promise<void> {
    const { storage, clock, systemClock, ids } = this.#ports;
    const limit = PUSHING_TENANTS - this.#streams.size;
    if (limit <= 0 || this.#stopping) return;
    await this.#releaseLost();
    const token = ids.next();
    const systemNowMs = systemClock.nowMs();
    const taken = await storage.push.take({
      owner: this.#options.node,
      token,
      limit,
      businessNow: clock.now(),
      systemNowMs,
      leaseEndsAtMs: systemNowMs + PUSH_LEASE_MS,
    });
    for (const tenantRecordId of taken) this.#begin({ tenantRecordId, token });
  }

  async #releaseLost(): Promise<void> {
    const lost = [...this.#lost];
    if (lost.length === 0) return;
    await this.#ports.storage.push.release(lost);
    for (const lease of lost) this.#lost.delete(lease);
  }

  #begin(lease: PushLease): void {
    const { tenantRecordId } = lease;
    const { storage, systemClock } = this.#ports;
    // If the lease expires, the stream detects the expiration when it stores results.
    this.#streams.get(tenantRecordId)?.stream.stop();
    const stream = this.#options.streamOf(lease, (changes) =>
      storage.push.record(lease, changes, systemClock.nowMs() + PUSH_LEASE_MS),
    );
    this.#streams.set(tenantRecordId, { stream, lease });
    if (this.#cancelBeat === undefined) this.#scheduleBeat();
    const running: Promise<boolean> = this.#run(lease, stream).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(lease: PushLease, stream: Stream): Promise<boolean> {
    const { storage, logger } = this.#ports;
    const { tenantRecordId } = lease;
    let mayHaveMore = false;
    try {
      mayHaveMore = await stream.run();
    } catch (error) {
      const message = 'sending the pushes of a tenant failed; it will be retried';
      logger.error({ err: error, tenantRecordId }, message);
    }
    if (this.#streams.get(tenantRecordId)?.lease === lease) this.#streams.delete(tenantRecordId);
    try {
      await storage.push.release([lease]);
    } catch (error) {
      this.#lost.add(lease);
      const message = 'the pushes of a tenant were not released; the release will be retried';
      logger.warn({ err: error, tenantRecordId }, message);
    }
    // Events that were written between the last load and the release could not start a stream.
    // The search therefore runs again immediately.
    // If the search finds nothing, the dispatcher waits.
    // Otherwise, events held back by an open transaction would cause a busy loop.
    if (mayHaveMore) this.#wake();
    return mayHaveMore;
  }

  async #allEnded(): Promise<void> {
    await Promise.allSettled([...this.#running, ...(this.#looking === undefined ? [] : [this.#looking])]);
  }

  #scheduleBeat(): void {
    const { systemClock, storage, logger } = this.#ports;
    this.#cancelBeat = systemClock.after(Math.floor(PUSH_LEASE_MS / BEATS_PER_LEASE), () => {
      this.#cancelBeat = undefined;
      const held = [...this.#streams.values()].map(({ lease }) => lease);
      if (held.length === 0) return;
      this.#scheduleBeat();
      storage.push
        .renew(held, systemClock.nowMs() + PUSH_LEASE_MS)
        .catch((error: unknown) => logger.warn({ err: error }, 'renewing leases of pushes failed'));
    });
  }
}
