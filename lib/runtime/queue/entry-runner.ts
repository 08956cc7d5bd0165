import type { Clock, Meters, Ports } from '../../ports/index.ts';
import {
  type ClaimedEntry,
  type FailedEntry,
  LeaseLostError,
  type WriteSession,
} from '../../ports/storage/index.ts';
import { type QueueEntry, QueueKind, type TenantRef } from '../../records/index.ts';
import { LOCK_WAIT_STEP_MS, MAX_BUSY_ENTRIES_COUNTED } from '../../values/limits.ts';
import { type ActivityPorts, handleEntries } from '../activity.ts';
import { decideAfterError, type HandlerBatch, type QueueHandler } from './handler.ts';
import type { QueueSettings } from './queue-settings.ts';

type RunnerPorts = Pick<Ports, 'storage' | 'systemClock' | 'logger'> & ActivityPorts;

interface RunnerInput {
  readonly handlers: readonly QueueHandler[];
  readonly tenantOf: (recordId: number) => Promise<TenantRef>;
  readonly settings: QueueSettings;
  readonly counts: EntryCounts;
  readonly busyPausesOf: (tenant: TenantRef) => Promise<BusyPauses>;
}

/** An entry with the handlers that still have to run, in order. */
interface Work {
  readonly entry: ClaimedEntry;
  readonly handlers: readonly QueueHandler[];
}

/** Runs claimed entries through their handlers in batches of one tenant and records each outcome (§9.2). */
export class EntryRunner {
  readonly #ports: RunnerPorts;
  readonly #input: RunnerInput;
  readonly #busy = new BusyEntries();

  constructor(ports: RunnerPorts, input: RunnerInput) {
    this.#ports = ports;
    this.#input = input;
  }

  async run(claimed: readonly ClaimedEntry[]): Promise<void> {
    const works = claimed.map((entry) => ({ entry, handlers: this.#remainingHandlers(entry) }));
    const idle = works.filter((work) => work.handlers.length === 0).map((work) => work.entry);
    if (idle.length > 0) await this.#ports.storage.queue.finish(idle);
    let left: readonly Work[] = works.filter((work) => work.handlers.length > 0);
    while (left.length > 0) left = await this.#runFirstHandlers(left);
  }

  /** Runs the first handler of each item. Returns the items that succeeded and have more handlers. */
  async #runFirstHandlers(works: readonly Work[]): Promise<readonly Work[]> {
    const passed: Work[] = [];
    for (const group of Map.groupBy(works, handlerOfTenant).values())
      passed.push(...(await this.#runGroup(group)));
    return passed
      .map((work) => ({ ...work, handlers: work.handlers.slice(1) }))
      .filter((work) => work.handlers.length > 0);
  }

  /** Returns the handlers of an entry that have not finished. A retry runs only these handlers (§9.3 rule 4). */
  #remainingHandlers(entry: ClaimedEntry): readonly QueueHandler[] {
    return this.#input.handlers.filter(
      (handler) => handler.topics.includes(entry.topic) && !entry.doneHandlers.includes(handler.name),
    );
  }

  /** Runs one handler on one group. Returns the items that the handler finished. */
  async #runGroup(group: readonly Work[]): Promise<readonly Work[]> {
    const handler = group[0]?.handlers[0];
    if (!handler) return [];
    const batch = await this.#batchOf(group, handler);
    try {
      const { entries, tenant } = batch;
      const failureOf = (entry: ClaimedEntry): unknown => failureIn(batch.outcomeOf(entry));
      const handled = { handler: handler.name, tenantId: tenant.id, entries, failureOf };
      await handleEntries(this.#ports, handled, () => handler.handle(batch));
    } catch (error) {
      if (group.length > 1) return this.#runOneByOne(group);
      this.#input.counts.add(handler.name, 'failed', group.length);
      await this.#afterErrors(group.map((work) => ({ work, error })));
      return [];
    }
    return this.#settleOutcomes(group, batch, handler);
  }

  async #batchOf(group: readonly Work[], handler: QueueHandler): Promise<Batch> {
    const entries = group.map((work) => work.entry);
    const lastOf = new Map(group.map((work) => [work.entry.recordId, work.handlers.length === 1]));
    return new Batch({
      tenant: await this.#input.tenantOf(entries[0]?.tenantRecordId ?? 0),
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

  /** Records the outcomes, using one statement per kind of outcome. Returns the items that succeeded. */
  async #settleOutcomes(
    group: readonly Work[],
    batch: Batch,
    handler: QueueHandler,
  ): Promise<readonly Work[]> {
    const { queue } = this.#ports.storage;
    const outcomes = group.map((work) => ({ work, outcome: batch.outcomeOf(work.entry) }));
    const of = (kind: BatchOutcome['kind']): readonly Work[] =>
      outcomes.filter(({ outcome }) => outcome.kind === kind).map(({ work }) => work);
    this.#count(handler, outcomes);
    const releasedEntries = await this.#releaseBusy(batch.tenant, handler, outcomes);
    await this.#afterErrors(
      outcomes.flatMap(({ work, outcome }) =>
        outcome.kind === 'failed' ? [{ work, error: outcome.error }] : [],
      ),
    );
    const open = of('open');
    const last = open.filter((work) => work.handlers.length === 1).map((work) => work.entry);
    const others = open.filter((work) => work.handlers.length > 1).map((work) => work.entry);
    if (last.length > 0) await queue.finish(last);
    if (others.length > 0) await queue.markDone(others, handler.name);
    return [...of('finished'), ...open, ...(await this.#giveUp(releasedEntries, handler))];
  }

  #count({ name }: QueueHandler, outcomes: readonly { readonly outcome: BatchOutcome }[]): void {
    for (const [kind, of] of Map.groupBy(outcomes, ({ outcome }) => outcome.kind))
      this.#input.counts.add(name, kind === 'busy' || kind === 'failed' ? kind : 'done', of.length);
  }

  /**
   * Releases entries whose accounts are busy. If the handler supports permanent failures, returns the entries that must
   * fail permanently.
   */
  async #releaseBusy(
    tenant: TenantRef,
    handler: QueueHandler,
    outcomes: readonly { readonly work: Work; readonly outcome: BatchOutcome }[],
  ): Promise<readonly Work[]> {
    const busy: { readonly work: Work; readonly delayMs: number | undefined }[] = [];
    for (const { work, outcome } of outcomes) {
      if (outcome.kind === 'busy') busy.push({ work, delayMs: outcome.delayMs });
      else this.#busy.forget(work.entry);
    }
    if (busy.length === 0) return [];
    const pauses = await this.#input.busyPausesOf(tenant);
    const pauseOf = (entry: ClaimedEntry): number | null => {
      const pauseMs = busyPauseMs(this.#busy.add(entry), pauses);
      return pauseMs === null && handler.giveUp === undefined ? lastBusyPauseMs(pauses) : pauseMs;
    };
    const paused = busy.map(({ work, delayMs }) => ({ work, delayMs: delayMs ?? pauseOf(work.entry) }));
    await this.#release(
      paused.flatMap(({ work, delayMs }) => (delayMs === null ? [] : [{ entry: work.entry, delayMs }])),
    );
    return paused.filter(({ delayMs }) => delayMs === null).map(({ work }) => work);
  }

  /** Lets the handler end these entries. Returns the ended entries, or an empty list if the handler fails. */
  async #giveUp(group: readonly Work[], handler: QueueHandler): Promise<readonly Work[]> {
    if (group.length === 0) return [];
    const batch = await this.#batchOf(group, handler);
    try {
      await handler.giveUp?.(batch);
    } catch (error) {
      await this.#afterErrors(group.map((work) => ({ work, error })));
      return [];
    }
    for (const { entry } of group) this.#busy.forget(entry);
    return group;
  }

  /** Releases entries without counting a failure. */
  async #release(
    waiting: readonly { readonly entry: ClaimedEntry; readonly delayMs: number }[],
  ): Promise<void> {
    const { storage, systemClock } = this.#ports;
    // A handler has at most two different delays.
    for (const [delayMs, held] of Map.groupBy(waiting, (each) => each.delayMs)) {
      const entries = held.map(({ entry }) => entry);
      await storage.queue.release(entries, systemClock.nowMs() + delayMs);
    }
  }

  /**
   * Retries or fails entries according to the error rules. Skips an entry whose claim was lost, because another node
   * now processes it.
   */
  async #afterErrors(failures: readonly { readonly work: Work; readonly error: unknown }[]): Promise<void> {
    const { logger, storage, systemClock } = this.#ports;
    const retried: (FailedEntry & { readonly availableAtMs: number })[] = [];
    const failed: FailedEntry[] = [];
    const waiting: { readonly entry: ClaimedEntry; readonly delayMs: number }[] = [];
    for (const { work, error } of failures) {
      const { entry, handlers } = work;
      const facts = {
        requestId: entry.userToken,
        err: error,
        recordId: entry.recordId,
        topic: entry.topic,
        handler: handlers[0]?.name,
      };
      if (error instanceof LeaseLostError) {
        logger.warn(facts, 'claim of a queue entry was lost; its work was rolled back');
        continue;
      }
      const decision = decideAfterError(
        entry.errorCount,
        error,
        this.#input.settings[entry.kind].maxFailures,
      );
      const { reason } = decision;
      if (decision.kind === 'later') {
        logger.warn({ ...facts, ...decision }, 'a queue entry was postponed');
        waiting.push({ entry, delayMs: decision.delayMs });
        continue;
      }
      logger.error(
        { ...facts, errorCount: entry.errorCount, ...decision },
        'handler of a queue entry failed',
      );
      if (decision.kind === 'fail') failed.push({ entry, reason });
      else retried.push({ entry, reason, availableAtMs: systemClock.nowMs() + decision.delayMs });
    }
    await this.#release(waiting);
    if (retried.length > 0) await storage.queue.retry(retried);
    if (failed.length > 0) await storage.queue.fail(failed);
  }
}

function failureIn(outcome: BatchOutcome): unknown {
  return outcome.kind === 'failed' ? outcome.error : undefined;
}

function handlerOfTenant({ entry, handlers }: Work): string {
  return `${entry.tenantRecordId}/${handlers[0]?.name ?? ''}`;
}

/** The outcome of an entry in one run of one handler. */
type BatchOutcome =
  | { readonly kind: 'finished' }
  | { readonly kind: 'open' }
  | { readonly kind: 'busy'; readonly delayMs: number | undefined }
  | { readonly kind: 'failed'; readonly error: unknown };

interface BatchInput extends Pick<HandlerBatch, 'tenant' | 'entries'> {
  readonly handler: QueueHandler;
  readonly isLastHandler: (entry: ClaimedEntry) => boolean;
}

/** One run of one handler over entries of one tenant, with the outcome of each entry. */
class Batch implements HandlerBatch {
  readonly tenant: TenantRef;
  readonly entries: readonly ClaimedEntry[];
  readonly #input: BatchInput;
  readonly #outcomes = new Map<number, BatchOutcome>();

  constructor(input: BatchInput) {
    this.tenant = input.tenant;
    this.entries = input.entries;
    this.#input = input;
  }

  async finish(session: WriteSession, entries: readonly ClaimedEntry[]): Promise<void> {
    const { handler, isLastHandler } = this.#input;
    const last = entries.filter(isLastHandler);
    const others = entries.filter((entry) => !isLastHandler(entry));
    if (last.length > 0) await session.finish(last);
    if (others.length > 0) await session.markDone(others, handler.name);
    for (const entry of entries) this.#outcomes.set(entry.recordId, { kind: 'finished' });
  }

  busy(entries: readonly ClaimedEntry[], delayMs?: number): void {
    for (const entry of entries) this.#outcomes.set(entry.recordId, { kind: 'busy', delayMs });
  }

  failed(entry: ClaimedEntry, error: unknown): void {
    this.#outcomes.set(entry.recordId, { kind: 'failed', error });
  }

  outcomeOf(entry: ClaimedEntry): BatchOutcome {
    return this.#outcomes.get(entry.recordId) ?? { kind: 'open' };
  }
}

/** The pauses of background work for a busy account. */
export interface BusyPauses {
  /**
   * Time in milliseconds for which entries are first retried at short intervals. Calls wait for a busy account for the
   * same time.
   */
  readonly waitMs: number;
  /** The pauses that follow the first short pauses, in order (`rescheduleIntervalOnLock`). */
  readonly intervalsMs: readonly number[];
}

/**
 * Returns the pause for an entry whose account was busy `times` times in a row (§15 rule 2, payments §5.3). The pauses
 * are short for as long as a call would wait. After that, `intervalsMs` applies. Returns null after the last interval.
 */
export function busyPauseMs(times: number, { waitMs, intervalsMs }: BusyPauses): number | null {
  const steps = Math.ceil(waitMs / LOCK_WAIT_STEP_MS);
  if (times <= steps) return LOCK_WAIT_STEP_MS;
  return intervalsMs[times - steps - 1] ?? null;
}

/** Returns the delay before the next attempt, for work that is retried without limit. */
export function lastBusyPauseMs({ intervalsMs }: BusyPauses): number {
  return intervalsMs.at(-1) ?? LOCK_WAIT_STEP_MS;
}

/** Counts how many times in a row the account of each entry was busy on this node. */
export class BusyEntries {
  readonly #times = new Map<number, number>();

  /** Increments the count and returns it. */
  add({ recordId }: ClaimedEntry): number {
    const times = (this.#times.get(recordId) ?? 0) + 1;
    // Move the entry to the end of the map, so that entries that another node has claimed are removed first.
    this.#times.delete(recordId);
    this.#times.set(recordId, times);
    const [oldest] = this.#times.keys();
    if (this.#times.size > MAX_BUSY_ENTRIES_COUNTED && oldest !== undefined) this.#times.delete(oldest);
    return times;
  }

  forget({ recordId }: ClaimedEntry): void {
    this.#times.delete(recordId);
  }
}

type EntryOutcome = 'done' | 'busy' | 'failed';

/** Counts the outcomes of this node's handlers. */
export class EntryCounts {
  readonly #counts = new Map<string, { handler: string; outcome: EntryOutcome; count: number }>();

  add(handler: string, outcome: EntryOutcome, count: number): void {
    const key = `${handler} ${outcome}`;
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { handler, outcome, count });
    else known.count += count;
  }

  list(): readonly { readonly handler: string; readonly outcome: EntryOutcome; readonly count: number }[] {
    return [...this.#counts.values()];
  }
}

const incoming = { BUS: 'queue.bus.incoming', NOTIFICATION: 'queue.notifications.incoming' } as const;
const latency = { BUS: 'queue.bus.latency', NOTIFICATION: 'queue.notifications.latency' } as const;

/** Counts claimed entries (platform §12.2). */
export function meterClaimed(meters: Meters | undefined, entries: readonly QueueEntry[]): void {
  if (meters === undefined) return;
  for (const [kind, of] of Map.groupBy(entries, (entry) => entry.kind))
    meters.mark(incoming[kind], of.length);
}

/** Measures the business time from the due date of entries to their completion. */
export function meterDone(
  { meters, clock }: { readonly meters?: Meters | undefined; readonly clock: Clock },
  entries: readonly QueueEntry[],
): void {
  if (meters === undefined) return;
  for (const { kind, createdDate, effectiveDate } of entries) {
    const due = kind === QueueKind.BUS || createdDate > effectiveDate ? createdDate : effectiveDate;
    const sinceMs = clock.msUntil === undefined ? clock.now() - due : -clock.msUntil(due);
    meters.time(latency[kind], Math.max(0, sinceMs));
  }
}
