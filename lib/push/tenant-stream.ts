import type { Logger } from '../ports/index.ts';
import type { PushStore } from '../ports/storage/index.ts';
import { ProcessingState, type PushDelivery } from '../records/index.ts';
import { PUSH_LOAD_SIZE } from '../values/limits.ts';
import type { Instant } from '../values/time/index.ts';
import { type AfterAttempt, type AttemptOutcome, afterAttempt } from './delivery-after-attempt.ts';

/** Maximum number of concurrent connections per tenant. */
const PUSHES_AT_A_TIME = 10;

/** Maximum number of loaded deliveries per account. */
const PUSH_ENOUGH_OF_ACCOUNT = 50;

/** The functions that a stream uses. `T` is the data that each attempt needs in addition to its delivery. */
interface StreamParts<T> {
  readonly tenantRecordId: number;
  readonly store: Pick<PushStore, 'load'>;
  readonly now: () => Instant;
  readonly logger: Logger;
  readonly counts: PushCounts;
  /** Reads the data for attempts, and the retry delays. */
  readonly target: () => Promise<T & { readonly retriesMs: readonly number[] }>;
  readonly send: (delivery: PushDelivery, target: T) => Promise<AttemptOutcome>;
  /** True if later events of an account wait for the retries of earlier events. */
  readonly isStrict: boolean;
  readonly placeOf: (delivery: PushDelivery) => Readonly<Record<string, string>>;
  /** Stores deliveries for further events. MORE means that some of them may be due now. */
  readonly takeUp: () => Promise<'MORE' | 'NONE' | 'LOST'>;
  /** Stores the results of attempts. Returns false if another node now serves the tenant. */
  readonly record: (changes: readonly AfterAttempt[]) => Promise<boolean>;
}

interface Ended {
  readonly delivery: PushDelivery;
  readonly after: AfterAttempt;
}

export type Stream = Pick<TenantStream<never>, 'wake' | 'stop' | 'run'>;

/**
 * Sends the due deliveries of one tenant, for which this node holds the lease. Up to ten deliveries run at a time. The
 * first attempts of an account run in order, and each outcome is stored before the next attempt.
 */
export class TenantStream<T> {
  readonly #parts: StreamParts<T>;
  readonly #lanes = new Lanes<PushDelivery>();
  readonly #running = new Set<Promise<void>>();
  readonly #ended: Ended[] = [];
  #mayHaveMore = true;
  /** Full lanes that the last load omitted. */
  #leftOut: readonly number[] = [];
  #stopping = false;
  #hasFound = false;
  #wake: () => void = () => undefined;

  constructor(parts: StreamParts<T>) {
    this.#parts = parts;
  }

  wake(): void {
    this.#mayHaveMore = true;
    this.#wake();
  }

  stop(): void {
    this.#stopping = true;
    this.#wake();
  }

  /**
   * Resolves when nothing is due and all outcomes are stored. Returns true if there was something to send, or if more
   * may have become due.
   */
  async run(): Promise<boolean> {
    try {
      while (await this.#step());
      return this.#hasFound || this.#mayHaveMore;
    } finally {
      // The results of running attempts can no longer be stored, so these attempts will be repeated.
      await Promise.all(this.#running);
    }
  }

  async #step(): Promise<boolean> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (!(await this.#store())) return false;
    if (!this.#stopping) {
      if (!(await this.#load())) return false;
      await this.#start();
    }
    if (this.#ended.length > 0) return true;
    if (this.#lanes.underWay > 0) await woken;
    return this.#lanes.underWay > 0 || (this.#mayHaveMore && !this.#stopping);
  }

  /**
   * Loads deliveries. Creates new deliveries only if no stored delivery can be sent. Events for an unavailable receiver
   * therefore wait on the bus at no cost. Returns false if the lease was lost.
   */
  async #load(): Promise<boolean> {
    const hasRoom = this.#lanes.startable < PUSHES_AT_A_TIME - this.#lanes.underWay;
    if (!this.#mayHaveMore || !hasRoom) return true;
    this.#mayHaveMore = false;
    this.#leftOut = this.#lanes.lanesWith(PUSH_ENOUGH_OF_ACCOUNT);
    const found = await this.#parts.store.load({
      tenantRecordId: this.#parts.tenantRecordId,
      businessNow: this.#parts.now(),
      limit: PUSH_LOAD_SIZE,
      held: this.#lanes.held,
      enoughOf: this.#leftOut,
    });
    this.#lanes.add(found);
    const taken = found.length > 0 ? 'MORE' : await this.#parts.takeUp();
    if (taken === 'MORE') {
      this.#mayHaveMore = true;
      this.#hasFound = true;
    }
    if (taken === 'LOST') this.#warnLost();
    return taken !== 'LOST';
  }

  async #start(): Promise<void> {
    const free = PUSHES_AT_A_TIME - this.#lanes.underWay;
    if (free <= 0 || this.#lanes.startable === 0) return;
    const target = await this.#parts.target();
    for (const delivery of this.#lanes.start(free)) {
      const attempt: Promise<void> = this.#attempt(delivery, target).finally(() => {
        this.#running.delete(attempt);
        this.#wake();
      });
      this.#running.add(attempt);
    }
  }

  async #attempt(
    delivery: PushDelivery,
    target: T & { readonly retriesMs: readonly number[] },
  ): Promise<void> {
    const startedAt = this.#parts.now();
    const outcome = await this.#parts.send(delivery, target);
    const attempt = { startedAt, endedAt: this.#parts.now(), outcome };
    this.#ended.push({ delivery, after: afterAttempt(delivery, attempt, target.retriesMs) });
  }

  /** Stores the results of attempts. Returns false if the lease is lost. */
  async #store(): Promise<boolean> {
    const ended = this.#ended.splice(0);
    if (ended.length === 0) return true;
    if (!(await this.#parts.record(ended.map(({ after }) => after)))) {
      this.#warnLost();
      return false;
    }
    for (const { delivery, after } of ended) this.#keepOrder(delivery, after);
    this.#lanes.end(ended.map(({ after }) => after.recordId));
    const full = this.#lanes.lanesWith(PUSH_ENOUGH_OF_ACCOUNT);
    if (this.#leftOut.some((lane) => !full.includes(lane))) this.#mayHaveMore = true;
    for (const each of ended) this.#count(each);
    return true;
  }

  #keepOrder(delivery: PushDelivery, { state }: AfterAttempt): void {
    if (!this.#parts.isStrict) return;
    if (delivery.dueOrder > 0) this.#mayHaveMore = true;
    else if (state === ProcessingState.AVAILABLE) this.#lanes.holdBehind(delivery);
  }

  #warnLost(): void {
    const { logger, tenantRecordId } = this.#parts;
    logger.warn({ tenantRecordId }, 'another node sends the pushes of this tenant now');
  }

  #count({ delivery, after }: Ended): void {
    const outcome = outcomeOf(delivery, after);
    this.#parts.counts.add(outcome);
    if (outcome !== 'given_up') return;
    const { id, eventType, userToken } = delivery;
    const of = userToken === null ? {} : { requestId: userToken };
    const { attempts, lastError: reason } = after;
    const facts = { ...of, deliveryId: id, ...this.#parts.placeOf(delivery), eventType, attempts, reason };
    this.#parts.logger.error(facts, 'a push failed for the last time and was given up');
  }
}

function outcomeOf(before: PushDelivery, { state, failures }: AfterAttempt): PushOutcome {
  switch (state) {
    case ProcessingState.AVAILABLE:
      return failures > before.failures ? 'failed' : 'put_off';
    case ProcessingState.FAILED:
      return 'given_up';
    case ProcessingState.REMOVED:
      return 'withdrawn';
    case ProcessingState.PROCESSED:
      return 'delivered';
  }
}

export type Ordered = Pick<PushDelivery, 'recordId' | 'accountRecordId' | 'dueOrder'>;

/**
 * The due deliveries of one tenant that can be sent now (platform §10.2 rule 6). First attempts of an account are sent
 * one by one in order; retries are sent whenever they are due.
 */
export class Lanes<D extends Ordered> {
  /**
   * Deliveries whose first attempt has not been recorded, by lane and in order. The attempt for the first delivery of a
   * lane may already be running.
   */
  readonly #firsts = new Map<number, D[]>();
  readonly #retries: D[] = [];
  readonly #underWay = new Map<number, D>();
  readonly #known = new Set<number>();

  get underWay(): number {
    return this.#underWay.size;
  }

  get startable(): number {
    let count = this.#retries.length;
    for (const [first] of this.#firsts.values())
      if (first !== undefined && !this.#underWay.has(first.recordId)) count += 1;
    return count;
  }

  get held(): readonly number[] {
    return [...this.#known];
  }

  /**
   * Returns the record ids of accounts that have at least this number of deliveries. The record id 0 stands for the
   * tenant itself.
   */
  lanesWith(atLeast: number): readonly number[] {
    return [...this.#firsts].filter(([, lane]) => lane.length >= atLeast).map(([lane]) => lane);
  }

  /** Adds due deliveries in order, after the deliveries that their lane already has. */
  add(deliveries: readonly D[]): void {
    for (const delivery of deliveries) {
      if (this.#known.has(delivery.recordId)) continue;
      this.#known.add(delivery.recordId);
      if (delivery.dueOrder > 0) this.#retries.push(delivery);
      else {
        const lane = this.#firsts.get(laneOf(delivery));
        if (lane === undefined) this.#firsts.set(laneOf(delivery), [delivery]);
        else lane.push(delivery);
      }
    }
  }

  /** Returns up to `atMost` deliveries. They count as running until `end` is called. */
  start(atMost: number): readonly D[] {
    const started: D[] = [];
    for (const [first] of this.#firsts.values()) {
      if (started.length >= atMost) break;
      if (first !== undefined && !this.#underWay.has(first.recordId)) started.push(first);
    }
    started.push(...this.#retries.splice(0, atMost - started.length));
    for (const delivery of started) this.#underWay.set(delivery.recordId, delivery);
    return started;
  }

  /**
   * Removes from the lane all deliveries that follow this delivery. They are loaded again after the retry of this
   * delivery.
   */
  holdBehind({ recordId, accountRecordId }: Ordered): void {
    const lane = this.#firsts.get(accountRecordId ?? 0);
    const behind = lane?.findIndex((each) => each.recordId === recordId) ?? -1;
    if (lane === undefined || behind < 0) return;
    for (const each of lane.splice(behind + 1)) this.#known.delete(each.recordId);
  }

  /** Removes deliveries whose attempt has been recorded. */
  end(recordIds: readonly number[]): void {
    for (const recordId of recordIds) {
      const delivery = this.#underWay.get(recordId);
      if (delivery === undefined) continue;
      this.#underWay.delete(recordId);
      this.#known.delete(recordId);
      if (delivery.dueOrder > 0) continue;
      const key = laneOf(delivery);
      const lane = this.#firsts.get(key);
      lane?.shift();
      // Move the lane to the end, so that other lanes come first.
      this.#firsts.delete(key);
      if (lane !== undefined && lane.length > 0) this.#firsts.set(key, lane);
    }
  }
}

function laneOf({ accountRecordId }: Ordered): number {
  return accountRecordId ?? 0;
}

/** Outcome of an attempt. After `failed` and `put_off`, the delivery is attempted again. */
export type PushOutcome = 'delivered' | 'failed' | 'put_off' | 'given_up' | 'withdrawn';

/** The possible outcomes of pushes and of sinks. */
export const PUSH_OUTCOMES: readonly PushOutcome[] = ['delivered', 'failed', 'given_up', 'withdrawn'];
export const SINK_OUTCOMES: readonly PushOutcome[] = ['delivered', 'failed', 'put_off', 'given_up'];

/** Counts the attempts of this node since its start. */
export class PushCounts {
  readonly #counts: Map<PushOutcome, number>;

  constructor(outcomes: readonly PushOutcome[]) {
    this.#counts = new Map(outcomes.map((outcome) => [outcome, 0]));
  }

  add(outcome: PushOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  list(): readonly { readonly outcome: PushOutcome; readonly count: number }[] {
    return [...this.#counts].map(([outcome, count]) => ({ outcome, count }));
  }
}
