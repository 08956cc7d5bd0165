import type { Ports } from '../../ports/index.ts';
import type { AccountOfTenant, ClaimedEntry, WorkCause } from '../../ports/storage/index.ts';
import type { QueueKind, TenantRef } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import {
  QUEUE_HISTORY_RETENTION_MS,
  QUEUE_SETTLE_POLL_MS,
  QUEUE_SHUTDOWN_WAIT_MS,
} from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import { type ActivityPorts, runDetached } from '../activity.ts';
import { atMost } from '../wait/bounded-waits.ts';
import { type BusyPauses, EntryCounts, EntryRunner, meterClaimed, meterDone } from './entry-runner.ts';
import { type QueueHandler, topicsOf } from './handler.ts';
import { type Care, Housekeeping, Leases, Signal } from './housekeeping.ts';
import {
  type ClaimLane,
  claimLanes,
  DEFAULT_QUEUE_SETTINGS,
  kindsWorkedOn,
  pollMsOf,
  type QueueSettings,
  reapLanes,
} from './queue-settings.ts';

/** Maximum number of concurrent claims of a node, so that a slow gateway does not delay other accounts. */
const QUEUE_WORKERS = 4;

/** Milliseconds that due work waits for a busy worker before another worker starts. */
export const QUEUE_HELP_AFTER_MS = 20;

/** Milliseconds between searches for expired leases. */
const QUEUE_TAKE_BACK_EVERY_MS = 1_000;

interface DispatcherOptions {
  /** Handlers. If several of them handle the same entry, they run in this order. */
  readonly handlers: readonly QueueHandler[];
  readonly tenantOf: (recordId: number) => Promise<TenantRef>;
  /** Returns the delays after which work is tried again when its account was busy. By default, each delay is 100 ms. */
  readonly busyPausesOf?: (tenant: TenantRef) => Promise<BusyPauses>;
  /** Unique name of this node (§15). */
  readonly node: string;
  /** Returns true if the name belonged to a process of this node that has ended. By default, always returns false. */
  readonly isFormerNode?: (name: string) => boolean;
  /** Settings of the queue. Defaults to the values of §4.3. */
  readonly settings?: QueueSettings;
  /** Milliseconds for which finished entries are kept. Defaults to 90 days. */
  readonly historyRetentionMs?: number;
  /** Further periodic work. Defaults to none. */
  readonly housekeeping?: readonly (() => Promise<void>)[];
  /** Periodic tasks with their own intervals in system time. Defaults to none. */
  readonly cares?: readonly Care[];
}

/** Restricts the entries that a claim takes. By default, a claim takes all due entries. */
interface ClaimOf {
  readonly account?: AccountOfTenant;
  readonly businessNow?: Instant;
}

interface Claim {
  readonly lane: ClaimLane;
  readonly entries: readonly ClaimedEntry[];
}

type DispatcherPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'meters'> &
  ActivityPorts;

/**
 * Claims due queue entries and passes them to their handlers in batches (§9.3). The entries of an account are handled
 * in order and one at a time across all nodes, with leases, fencing and limited retries. The dispatcher takes over the
 * work of dead nodes. `start` runs the dispatcher in the background; `settle` processes the queue until nothing is due.
 */
export class Dispatcher {
  readonly counts = new EntryCounts();
  readonly #ports: DispatcherPorts;
  readonly #options: DispatcherOptions;
  readonly #settings: QueueSettings;
  readonly #lanes: readonly ClaimLane[];
  readonly #leases: ReadonlyMap<ClaimLane, Leases>;
  readonly #topics: readonly string[];
  readonly #runner: EntryRunner;
  readonly #housekeeping: Housekeeping;
  readonly #signal: Signal;
  readonly #running = new Set<Promise<void>>();
  readonly #unsubscribe: (() => void)[] = [];
  /** Number of entries that are being handled, by lane. */
  readonly #handled = new Map<ClaimLane, number>();
  #started = false;
  #stopping = false;
  #stopped: Promise<void> | undefined;
  #workers = 0;
  #cancelTimer: (() => void) | undefined;
  #cancelHelp: (() => void) | undefined;
  /** Value of the signal's counter when a worker last checked for due work. */
  #looked = 0;
  /** System time of the last search for expired leases. */
  #releasedAtMs = Number.NEGATIVE_INFINITY;

  constructor(ports: DispatcherPorts, options: DispatcherOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#topics = topicsOf(options.handlers);
    const settings = options.settings ?? DEFAULT_QUEUE_SETTINGS;
    this.#settings = settings;
    this.#lanes = claimLanes(settings);
    this.#leases = new Map(this.#lanes.map((lane) => [lane, new Leases(ports, lane.leaseMs)]));
    this.#signal = new Signal(ports.systemClock);
    this.#runner = new EntryRunner(ports, {
      busyPausesOf: async () => ({ waitMs: 0, intervalsMs: [] }),
      ...options,
      settings,
      counts: this.counts,
    });
    this.#housekeeping = new Housekeeping(ports, {
      reapers: reapLanes(settings),
      historyRetentionMs: options.historyRetentionMs ?? QUEUE_HISTORY_RETENTION_MS,
      onReaped: () => this.#wake(),
      others: options.housekeeping ?? [],
      cares: options.cares ?? [],
    });
    this.#unsubscribe.push(ports.storage.onCommit(() => this.#wake()));
    const stopListening = ports.clock.onMove?.(() => this.#wake());
    if (stopListening) this.#unsubscribe.push(stopListening);
  }

  /** The kinds of entries that are processed in the background. */
  get workedOn(): readonly QueueKind[] {
    return this.#started && !this.#stopping ? kindsWorkedOn(this.#settings) : [];
  }

  /** Releases claims held by ended processes of this node. Call this once, before `start` or `settle`. */
  async recover(): Promise<void> {
    const { storage } = this.#ports;
    const { node, isFormerNode } = this.#options;
    const owners = await storage.queue.owners();
    const former = owners.filter((name) => storage.singleNode || name === node || isFormerNode?.(name));
    this.#logReleasedLeases(await storage.queue.takeBackFrom(former));
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#unsubscribe.push(this.#ports.storage.queue.onSignal(() => this.#wake()));
    this.#housekeeping.start();
    this.#spawn();
  }

  /** Stops claiming, ends waits, waits a limited time for running handlers, and releases the remaining claims. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelTimer?.();
    this.#cancelHelp?.();
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#signal.raise();
    await this.#housekeeping.stop();
    await atMost(this.#ports.systemClock, QUEUE_SHUTDOWN_WAIT_MS, Promise.allSettled([...this.#running]));
    await this.#releaseEntries();
    await Promise.all(this.#options.handlers.map((handler) => handler.idle?.()));
  }

  /** Releases the entries. If the database is unreachable or full, they are released when their leases end. */
  async #releaseEntries(): Promise<void> {
    const { storage, systemClock, logger } = this.#ports;
    const left = this.#listHeldClaims();
    if (left.length === 0) return;
    for (const leases of this.#leases.values()) leases.letGo(left);
    try {
      await storage.queue.release(left, systemClock.nowMs());
    } catch (error) {
      logger.warn(
        { err: error, count: left.length },
        'queue entries were not released; their leases will expire',
      );
    }
  }

  /**
   * Processes the queue of one tenant, or of all tenants (null), until no entry is due or in processing.
   * @returns false after `timeoutMs` of system time, or if the dispatcher is stopping.
   */
  async settle(tenantRecordId: number | null, timeoutMs: number): Promise<boolean> {
    const { storage, clock, systemClock } = this.#ports;
    const deadline = systemClock.nowMs() + timeoutMs;
    for (;;) {
      await systemClock.nextTurn();
      if (this.#stopping) return false;
      await clock.refresh?.();
      const raised = this.#signal.count;
      const claims = await this.#claim();
      if (claims.length > 0) await this.#track(this.#process(claims));
      else if ((await storage.queue.countPending(tenantRecordId, clock.now())) === 0) return true;
      if (systemClock.nowMs() >= deadline) return false;
      if (claims.length === 0) await this.#signal.wait(raised, QUEUE_SETTLE_POLL_MS);
    }
  }

  /** Returns the due time of the next notification for which this node has a handler, or null. */
  nextDue(): Promise<Instant | null> {
    return this.#ports.storage.queue.nextDue(this.#topics);
  }

  /**
   * Waits until no due work of the cause is left. Any node may do the work in the background. If this dispatcher was
   * not started, it does the work within this call.
   * @returns false after `timeoutMs` of system time, or if the dispatcher is stopping.
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
      const claims = this.#started ? [] : await this.#claim();
      if (claims.length > 0) await atMost(systemClock, leftMs, this.#track(this.#process(claims)));
      else await this.#signal.wait(raised, Math.min(leftMs, QUEUE_SETTLE_POLL_MS));
    }
  }

  /**
   * Processes the due entries of an account in queue order. Stops at the first entry that is paused or that another
   * node is processing.
   */
  async workOff(account: AccountOfTenant, businessNow: Instant): Promise<void> {
    let last: number | undefined;
    while (!this.#stopping) {
      const claims = await this.#claim({ account, businessNow });
      const entry = claims.at(-1)?.entries.at(-1);
      if (entry === undefined) return;
      await this.#track(this.#process(claims));
      // An entry that is claimed again immediately was released. Later entries of the account wait for it.
      if (entry.recordId === last) return;
      last = entry.recordId;
    }
  }

  #wake(): void {
    this.#signal.raise();
    if (!this.#started) return;
    // The search must not be traced as part of the caller's operation.
    runDetached(this.#ports, () => (this.#workers === 0 ? this.#spawn() : this.#requestHelp()));
  }

  /**
   * Starts another worker if the busy worker does not become free soon. Waits first, because large batches cost less
   * per entry.
   */
  #requestHelp(): void {
    if (this.#cancelHelp !== undefined || this.#stopping) return;
    this.#cancelHelp = this.#ports.systemClock.after(QUEUE_HELP_AFTER_MS, () => {
      this.#cancelHelp = undefined;
      if (this.#signal.count !== this.#looked) this.#spawn();
    });
  }

  #spawn(): void {
    if (this.#stopping || this.#lanes.length === 0 || this.#workers >= QUEUE_WORKERS) return;
    this.#workers += 1;
    void this.#track(this.#work());
  }

  /** Claims and handles entries until nothing is due. The last worker sets the timer. */
  async #work(): Promise<void> {
    let failed = false;
    try {
      while (!this.#stopping && (await this.#workOnce()));
    } catch (error) {
      failed = true;
      const { node } = this.#options;
      this.#ports.logger.error({ err: error, node }, 'queue dispatch failed; polling continues');
    } finally {
      this.#workers -= 1;
    }
    if (this.#workers === 0 && !this.#stopping) await this.#armTimer(failed);
  }

  /** Claims and handles entries once. Returns false if nothing was due and no signal arrived in the meantime. */
  async #workOnce(): Promise<boolean> {
    await this.#ports.systemClock.nextTurn();
    const raised = this.#signal.count;
    this.#looked = raised;
    await this.#ports.clock.refresh?.();
    const claims = await this.#claim();
    if (claims.length === 0) return this.#signal.count !== raised;
    if (claims.some(({ lane, entries }) => entries.length === lane.limit)) this.#spawn();
    await this.#process(claims);
    return true;
  }

  /** Sleeps until the next notification is due, but for at most one poll interval. */
  async #armTimer(afterFailure: boolean): Promise<void> {
    const delayMs = afterFailure ? pollMsOf(this.#settings) : await this.#msToNextDue();
    if (this.#stopping) return;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#ports.systemClock.after(delayMs, () => this.#spawn());
  }

  async #msToNextDue(): Promise<number> {
    const pollMs = pollMsOf(this.#settings);
    try {
      return Math.min(pollMs, await this.#msToNextNotification(), await this.#msToNextLeaseEnd());
    } catch (error) {
      this.#ports.logger.error({ err: error }, 'queue could not be read; polling continues');
      return pollMs;
    }
  }

  async #msToNextNotification(): Promise<number> {
    if (this.#settings.NOTIFICATION.isOff) return Number.POSITIVE_INFINITY;
    const { clock } = this.#ports;
    const nextDue = await this.nextDue();
    if (nextDue === null) return Number.POSITIVE_INFINITY;
    return Math.max(0, clock.msUntil?.(nextDue) ?? nextDue - clock.now());
  }

  /** Returns the number of milliseconds until the next lease ends. Only the leases of failed nodes expire. */
  async #msToNextLeaseEnd(): Promise<number> {
    const { storage, systemClock } = this.#ports;
    const leaseEndMs = storage.singleNode ? null : await storage.queue.nextLeaseEnd();
    return leaseEndMs === null ? Number.POSITIVE_INFINITY : Math.max(0, leaseEndMs - systemClock.nowMs());
  }

  /**
   * Makes one claim for both kinds of entries or, if their settings differ, one claim per kind, starting with bus
   * entries.
   */
  async #claim(of: ClaimOf = {}): Promise<readonly Claim[]> {
    const claims: Claim[] = [];
    for (const leases of this.#leases.values()) this.#logReleasedLeases(await leases.takeBackLost());
    await this.#takeBackLapsed();
    try {
      for (const lane of this.#lanes) {
        const entries = await this.#claimIn(lane, of);
        if (entries.length > 0) claims.push({ lane, entries });
      }
    } catch (error) {
      for (const claim of claims) this.#lose(claim);
      throw error;
    }
    return claims;
  }

  #lose({ lane, entries }: Claim): void {
    this.#leasesOf(lane).lose(entries.map(({ claimId }) => claimId));
    this.#end({ lane, entries });
  }

  #end({ lane, entries }: Claim): void {
    this.#leasesOf(lane).letGo(entries);
    this.#countHandled(lane, -entries.length);
  }

  /**
   * Releases expired leases. Excludes the claims of this node, because a late renewal does not mean that this node has
   * failed.
   */
  async #takeBackLapsed(): Promise<void> {
    const { storage, systemClock } = this.#ports;
    const systemNowMs = systemClock.nowMs();
    if (systemNowMs - this.#releasedAtMs < QUEUE_TAKE_BACK_EVERY_MS) return;
    this.#releasedAtMs = systemNowMs;
    const held = [...new Set(this.#listHeldClaims().map(({ claimId }) => claimId))];
    this.#logReleasedLeases(await storage.queue.takeBackLapsed({ systemNowMs, held }));
  }

  /** Returns the claims of this node. */
  #listHeldClaims(): readonly ClaimedEntry[] {
    return [...this.#leases.values()].flatMap(({ held }) => held);
  }

  #logReleasedLeases(releasedLeases: number): void {
    const { node } = this.#options;
    if (releasedLeases > 0)
      this.#ports.logger.warn(
        { releasedLeases, node },
        'reclaimed queue entries whose node or database was lost',
      );
  }

  async #claimIn(lane: ClaimLane, { account, businessNow }: ClaimOf): Promise<readonly ClaimedEntry[]> {
    const limit = Math.min(lane.limit, lane.handledAtATime - (this.#handled.get(lane) ?? 0));
    if (limit <= 0) return [];
    const { storage, clock, systemClock, ids } = this.#ports;
    const leases = this.#leasesOf(lane);
    let claimed: readonly ClaimedEntry[] = [];
    // The entries are counted before the claim, so that concurrent workers respect the limit.
    this.#countHandled(lane, limit);
    const leaseEndsAtMs = leases.beginClaim();
    const claimId = ids.next();
    try {
      claimed = await storage.queue.claim({
        node: this.#options.node,
        claimId,
        limit,
        topics: this.#topics,
        businessNow: businessNow ?? clock.now(),
        systemNowMs: systemClock.nowMs(),
        leaseEndsAtMs,
        ...(lane.kind === null ? {} : { kind: lane.kind }),
        ...(account === undefined ? {} : { account }),
      });
    } catch (error) {
      leases.lose([claimId]);
      throw error;
    } finally {
      leases.endClaim(claimed);
      this.#countHandled(lane, claimed.length - limit);
    }
    meterClaimed(this.#ports.meters, claimed);
    return claimed;
  }

  #leasesOf(lane: ClaimLane): Leases {
    const leases = this.#leases.get(lane);
    assertInvariant(leases, 'A claim lane has no leases');
    return leases;
  }

  #countHandled(lane: ClaimLane, more: number): void {
    this.#handled.set(lane, (this.#handled.get(lane) ?? 0) + more);
  }

  async #process(claims: readonly Claim[]): Promise<void> {
    await Promise.all(
      claims.map(async (claim) => {
        try {
          await this.#runner.run(claim.entries);
          this.#end(claim);
        } catch (error) {
          this.#lose(claim);
          throw error;
        } finally {
          meterDone(this.#ports, claim.entries);
          this.#signal.raise();
        }
      }),
    );
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
