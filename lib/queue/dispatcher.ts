import type { TenantRef } from '../context.ts';
import {
  QUEUE_BUSY_PAUSE_MS,
  QUEUE_CLAIM_LIMIT,
  QUEUE_LEASE_MS,
  QUEUE_POLL_MS,
  QUEUE_REAP_BATCH,
  QUEUE_REAP_SCHEDULE_MS,
  QUEUE_REAP_THRESHOLD_MS,
  QUEUE_SETTLE_POLL_MS,
  QUEUE_SHUTDOWN_WAIT_MS,
  QUEUE_WORKERS,
} from '../limits.ts';
import type { Ports } from '../ports/index.ts';
import { LeaseLostError, type ClaimedEntry } from '../ports/storage/index.ts';
import { Batch } from './batch.ts';
import { decideAfterError } from './error-policy.ts';
import type { QueueHandler } from './handler.ts';
import { Signal } from './signal.ts';

export interface DispatcherOptions {
  /** Unique name of this node (platform.md §15). */
  readonly node: string;
  /** Lease of a claim; default 5 minutes. */
  readonly leaseMs?: number;
  /** Age from which a dead claim is reaped; default 10 minutes. */
  readonly reapThresholdMs?: number;
  /** Poll when nothing wakes the dispatcher; default 3 seconds. */
  readonly pollMs?: number;
}

type DispatcherPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger'>;

/** An entry with the handlers that it still has to pass, in order. */
interface Work {
  readonly entry: ClaimedEntry;
  readonly handlers: readonly QueueHandler[];
}

/**
 * Claims due queue entries and hands them to their handlers in batches (platform.md §9.3): entries of one account one
 * at a time and in order across nodes, leases with heartbeat and fencing, bounded retries, reaping of dead claims.
 * `start` runs it in the background; `settle` works the queue until nothing is due, with or without the background.
 */
export class Dispatcher {
  readonly #ports: DispatcherPorts;
  readonly #options: Required<DispatcherOptions>;
  readonly #handlers: readonly QueueHandler[];
  readonly #handlersByTopic = new Map<string, QueueHandler[]>();
  readonly #tenantOf: (recordId: number) => Promise<TenantRef>;
  readonly #signal: Signal;
  readonly #running = new Set<Promise<void>>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #claimed = new Map<number, ClaimedEntry>();
  #started = false;
  #stopping = false;
  #workers = 0;
  #cancelTimer: (() => void) | undefined;
  #cancelReaper: (() => void) | undefined;

  constructor(
    ports: DispatcherPorts,
    handlers: readonly QueueHandler[],
    tenantOf: (recordId: number) => Promise<TenantRef>,
    options: DispatcherOptions,
  ) {
    this.#ports = ports;
    this.#handlers = handlers;
    this.#tenantOf = tenantOf;
    const leaseMs = options.leaseMs ?? QUEUE_LEASE_MS;
    const reapThresholdMs = options.reapThresholdMs ?? QUEUE_REAP_THRESHOLD_MS;
    this.#options = {
      node: options.node,
      leaseMs,
      // platform.md §9.3 rule 7: a claim is never reaped before its own lease has had time to end
      reapThresholdMs: leaseMs >= reapThresholdMs ? leaseMs + QUEUE_LEASE_MS : reapThresholdMs,
      pollMs: options.pollMs ?? QUEUE_POLL_MS,
    };
    this.#signal = new Signal(ports.systemClock);
    for (const handler of handlers) {
      for (const topic of handler.topics) {
        const known = this.#handlersByTopic.get(topic);
        if (known) known.push(handler);
        else this.#handlersByTopic.set(topic, [handler]);
      }
    }
    ports.storage.setConsumedTopics(new Set(this.#handlersByTopic.keys()));
    this.#unsubscribe.push(ports.storage.onCommit(() => this.#wake()));
    const stopListening = ports.clock.onMove?.(() => this.#wake());
    if (stopListening) this.#unsubscribe.push(stopListening);
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
      if (reaped > 0) this.#ports.logger.info({ reaped, node: this.#options.node }, 'took back queue entries');
    } while (reaped === QUEUE_CLAIM_LIMIT);
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#unsubscribe.push(this.#ports.storage.queue.onSignal(() => this.#wake()));
    this.#armReaper();
    this.#spawn();
  }

  /** Stops claiming, waits a bounded time for running handlers, then gives back what is still claimed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelTimer?.();
    this.#cancelReaper?.();
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#signal.raise();
    const timeout = new Promise<void>((resolve) => {
      const cancel = this.#ports.systemClock.after(QUEUE_SHUTDOWN_WAIT_MS, resolve);
      void Promise.allSettled([...this.#running]).then(() => {
        cancel();
        resolve();
      });
    });
    await timeout;
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
      await clock.refresh?.();
      const raised = this.#signal.count;
      const claimed = await this.#claim();
      if (claimed.length > 0) {
        await this.#track(this.#process(claimed));
        continue;
      }
      if ((await storage.queue.countPending(tenantRecordId, clock.now())) === 0) return true;
      if (systemClock.nowMs() >= deadline) return false;
      await this.#signal.wait(raised, QUEUE_SETTLE_POLL_MS);
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

  async #work(): Promise<void> {
    let failed = false;
    try {
      for (;;) {
        const raised = this.#signal.count;
        await this.#ports.clock.refresh?.();
        const claimed = this.#stopping ? [] : await this.#claim();
        if (claimed.length === 0 && this.#signal.count === raised) break;
        if (claimed.length === QUEUE_CLAIM_LIMIT) this.#spawn();
        if (claimed.length > 0) await this.#process(claimed);
        if (this.#stopping) break;
      }
    } catch (error) {
      failed = true;
      this.#ports.logger.error({ err: error, node: this.#options.node }, 'queue dispatch failed; polling goes on');
    } finally {
      this.#workers -= 1;
    }
    if (this.#workers === 0 && !this.#stopping) await this.#armTimer(failed);
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
      const nextDue = await this.#ports.storage.queue.nextDue([...this.#handlersByTopic.keys()]);
      if (nextDue === null) return this.#options.pollMs;
      return Math.min(this.#options.pollMs, Math.max(0, nextDue - this.#ports.clock.now()));
    } catch (error) {
      this.#ports.logger.error({ err: error }, 'queue could not be read; polling goes on');
      return this.#options.pollMs;
    }
  }

  #armReaper(): void {
    this.#cancelReaper = this.#ports.systemClock.after(QUEUE_REAP_SCHEDULE_MS, () => {
      void this.#track(this.#reap().finally(() => (this.#stopping ? undefined : this.#armReaper())));
    });
  }

  async #reap(): Promise<void> {
    const systemNowMs = this.#ports.systemClock.nowMs();
    const claimedBeforeMs = systemNowMs - this.#options.reapThresholdMs;
    try {
      const reaped = await this.#ports.storage.queue.reap({ systemNowMs, claimedBeforeMs, limit: QUEUE_REAP_BATCH });
      if (reaped > 0) this.#wake();
    } catch (error) {
      this.#ports.logger.error({ err: error }, 'reaping dead queue claims failed; it runs again');
    }
  }

  async #claim(): Promise<readonly ClaimedEntry[]> {
    const { storage, clock, systemClock, ids } = this.#ports;
    const claimed = await storage.queue.claim({
      node: this.#options.node,
      claimId: ids.next(),
      limit: QUEUE_CLAIM_LIMIT,
      topics: [...this.#handlersByTopic.keys()],
      businessNow: clock.now(),
      systemNowMs: systemClock.nowMs(),
      leaseMs: this.#options.leaseMs,
    });
    for (const entry of claimed) this.#claimed.set(entry.recordId, entry);
    return claimed;
  }

  async #process(claimed: readonly ClaimedEntry[]): Promise<void> {
    const stopHeartbeat = this.#heartbeat(claimed);
    try {
      let works: readonly Work[] = claimed.map((entry) => ({ entry, handlers: this.#remainingHandlers(entry) }));
      const idle = works.filter((work) => work.handlers.length === 0).map((work) => work.entry);
      if (idle.length > 0) await this.#ports.storage.queue.finish(idle);
      works = works.filter((work) => work.handlers.length > 0);
      while (works.length > 0) {
        const passed: Work[] = [];
        for (const group of groupByTenantAndHandler(works)) passed.push(...(await this.#runGroup(group)));
        works = passed.map((work) => ({ ...work, handlers: work.handlers.slice(1) })).filter((w) => w.handlers.length > 0);
      }
    } finally {
      stopHeartbeat();
      for (const entry of claimed) this.#claimed.delete(entry.recordId);
      this.#signal.raise();
    }
  }

  #remainingHandlers(entry: ClaimedEntry): readonly QueueHandler[] {
    const all = this.#handlersByTopic.get(entry.topic) ?? [];
    return all.filter((handler) => !entry.doneHandlers.includes(handler.name));
  }

  /** Runs one handler over one group; returns the works that it has finished. */
  async #runGroup(group: readonly Work[]): Promise<readonly Work[]> {
    const handler = group[0]?.handlers[0];
    if (!handler) return [];
    const batch = await this.#batchOf(group, handler);
    try {
      await handler.handle(batch);
    } catch (error) {
      if (group.length > 1) return this.#runOneByOne(group);
      return (await this.#afterError(group, error)) ? group : [];
    }
    return this.#settleOutcomes(group, batch, handler);
  }

  async #batchOf(group: readonly Work[], handler: QueueHandler): Promise<Batch> {
    const entries = group.map((work) => work.entry);
    const lastOf = new Map(group.map((work) => [work.entry.recordId, work.handlers.length === 1]));
    return new Batch({
      tenant: await this.#tenantOf(entries[0]?.tenantRecordId ?? 0),
      entries,
      handler,
      isLastHandler: (entry) => lastOf.get(entry.recordId) ?? true,
    });
  }

  async #runOneByOne(group: readonly Work[]): Promise<readonly Work[]> {
    const passed: Work[] = [];
    for (const work of group) passed.push(...(await this.#runGroup([work])));
    return passed;
  }

  async #settleOutcomes(group: readonly Work[], batch: Batch, handler: QueueHandler): Promise<readonly Work[]> {
    const { queue } = this.#ports.storage;
    const open: Work[] = [];
    const passed: Work[] = [];
    for (const work of group) {
      const outcome = batch.outcomeOf(work.entry);
      if (outcome.kind === 'finished') passed.push(work);
      else if (outcome.kind === 'open') open.push(work);
      else if (outcome.kind === 'busy') {
        const availableAtMs = this.#ports.systemClock.nowMs() + (outcome.delayMs ?? QUEUE_BUSY_PAUSE_MS);
        await queue.release([work.entry], availableAtMs);
      } else await this.#afterError([work], outcome.error);
    }
    const last = open.filter((work) => work.handlers.length === 1).map((work) => work.entry);
    const others = open.filter((work) => work.handlers.length > 1).map((work) => work.entry);
    if (last.length > 0) await queue.finish(last);
    if (others.length > 0) await queue.markDone(others, handler.name);
    return [...passed, ...open];
  }

  /** Returns true when the entry turned out to be finished already: its claim is no longer ours. */
  async #afterError(group: readonly Work[], error: unknown): Promise<boolean> {
    const { logger, storage, systemClock } = this.#ports;
    for (const { entry, handlers } of group) {
      const facts = { err: error, recordId: entry.recordId, topic: entry.topic, handler: handlers[0]?.name };
      if (error instanceof LeaseLostError) {
        logger.warn(facts, 'claim of a queue entry was lost; its work was rolled back');
        continue;
      }
      const decision = decideAfterError(entry.errorCount, error);
      logger.error({ ...facts, errorCount: entry.errorCount, ...decision }, 'handler of a queue entry failed');
      if (decision.kind === 'fail') await storage.queue.fail([{ entry, reason: decision.reason }]);
      else {
        const availableAtMs = systemClock.nowMs() + decision.delayMs;
        await storage.queue.retry([{ entry, reason: decision.reason, availableAtMs }]);
      }
    }
    return false;
  }

  /** Renews the leases of a batch while it is being handled. */
  #heartbeat(entries: readonly ClaimedEntry[]): () => void {
    const everyMs = Math.max(1, Math.floor(this.#options.leaseMs / 3));
    let cancel: () => void = () => undefined;
    let stopped = false;
    const beat = (): void => {
      const leaseUntilMs = this.#ports.systemClock.nowMs() + this.#options.leaseMs;
      this.#ports.storage.queue
        .renew(entries, leaseUntilMs)
        .catch((error: unknown) => this.#ports.logger.warn({ err: error }, 'renewing queue leases failed'))
        .finally(() => {
          if (!stopped) cancel = this.#ports.systemClock.after(everyMs, beat);
        });
    };
    cancel = this.#ports.systemClock.after(everyMs, beat);
    return () => {
      stopped = true;
      cancel();
    };
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

function groupByTenantAndHandler(works: readonly Work[]): readonly (readonly Work[])[] {
  const groups = new Map<string, Work[]>();
  for (const work of works) {
    const key = `${work.entry.tenantRecordId}/${work.handlers[0]?.name ?? ''}`;
    const group = groups.get(key);
    if (group) group.push(work);
    else groups.set(key, [work]);
  }
  return [...groups.values()];
}
