import type { TenantRef } from '../context.ts';
import { QUEUE_BUSY_PAUSE_MS } from '../limits.ts';
import type { Ports } from '../ports/index.ts';
import { type ClaimedEntry, LeaseLostError } from '../ports/storage/index.ts';
import { Batch } from './batch.ts';
import { decideAfterError } from './error-policy.ts';
import type { QueueHandler } from './handler.ts';

/** An entry with the handlers that it still has to pass, in order. */
interface Work {
  readonly entry: ClaimedEntry;
  readonly handlers: readonly QueueHandler[];
}

/**
 * Takes claimed entries through their handlers in batches of one tenant and handler, and records what became of each:
 * finished, given back, to be retried, or failed for good (platform.md §9.2). Leases are renewed meanwhile.
 */
export class EntryRunner {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>;
  readonly #handlers: readonly QueueHandler[];
  readonly #tenantOf: (recordId: number) => Promise<TenantRef>;
  readonly #leaseMs: number;

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'logger'>,
    input: {
      readonly handlers: readonly QueueHandler[];
      readonly tenantOf: (recordId: number) => Promise<TenantRef>;
      readonly leaseMs: number;
    },
  ) {
    this.#ports = ports;
    this.#handlers = input.handlers;
    this.#tenantOf = input.tenantOf;
    this.#leaseMs = input.leaseMs;
  }

  async run(claimed: readonly ClaimedEntry[]): Promise<void> {
    const stopHeartbeat = this.#heartbeat(claimed);
    try {
      let works: readonly Work[] = claimed.map((entry) => ({
        entry,
        handlers: this.#remainingHandlers(entry),
      }));
      const idle = works.filter((work) => work.handlers.length === 0).map((work) => work.entry);
      if (idle.length > 0) await this.#ports.storage.queue.finish(idle);
      works = works.filter((work) => work.handlers.length > 0);
      while (works.length > 0) works = await this.#runFirstHandlers(works);
    } finally {
      stopHeartbeat();
    }
  }

  /** Runs the first handler of each; returns those that have passed it and have more to pass. */
  async #runFirstHandlers(works: readonly Work[]): Promise<readonly Work[]> {
    const passed: Work[] = [];
    for (const group of groupByTenantAndHandler(works)) passed.push(...(await this.#runGroup(group)));
    return passed
      .map((work) => ({ ...work, handlers: work.handlers.slice(1) }))
      .filter((work) => work.handlers.length > 0);
  }

  /** platform.md §9.3 rule 4: a retry runs only the handlers that are not done. */
  #remainingHandlers(entry: ClaimedEntry): readonly QueueHandler[] {
    return this.#handlers.filter(
      (handler) => handler.topics.includes(entry.topic) && !entry.doneHandlers.includes(handler.name),
    );
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

  async #settleOutcomes(
    group: readonly Work[],
    batch: Batch,
    handler: QueueHandler,
  ): Promise<readonly Work[]> {
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
      logger.error(
        { ...facts, errorCount: entry.errorCount, ...decision },
        'handler of a queue entry failed',
      );
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
    const everyMs = Math.max(1, Math.floor(this.#leaseMs / 3));
    let cancel: () => void = () => undefined;
    let stopped = false;
    const beat = (): void => {
      const leaseUntilMs = this.#ports.systemClock.nowMs() + this.#leaseMs;
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
