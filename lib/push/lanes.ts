import type { PushDelivery } from '../records/index.ts';

/** What orders deliveries. */
export type Ordered = Pick<PushDelivery, 'recordId' | 'accountRecordId' | 'dueOrder'>;

/**
 * The deliveries of one tenant that are due, and which of them may be sent now (platform §10.2 rule 6): first attempts of an
 * account one at a time and in the order of its events, those of the tenant itself too; retries whenever they are due.
 */
export class Lanes<D extends Ordered> {
  /** First attempts by lane, in order; the first of a lane may be under way. */
  readonly #firsts = new Map<number, D[]>();
  readonly #retries: D[] = [];
  readonly #underWay = new Map<number, D>();
  readonly #known = new Set<number>();

  /** How many are under way. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** How many could be sent now. */
  get startable(): number {
    let count = this.#retries.length;
    for (const [first] of this.#firsts.values())
      if (first !== undefined && !this.#underWay.has(first.recordId)) count += 1;
    return count;
  }

  /** Record ids of all that are held. */
  get held(): readonly number[] {
    return [...this.#known];
  }

  /** The lanes that hold at least so many, by account record id; 0 = the tenant itself. */
  lanesWith(atLeast: number): readonly number[] {
    return [...this.#firsts].filter(([, lane]) => lane.length >= atLeast).map(([lane]) => lane);
  }

  /** Takes deliveries that are due, those of a lane in their order and after all that it holds of it. */
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

  /** The next ones to send, at most so many; they are under way until `end`. */
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

  /** Forgets what waits behind this first attempt, which comes again before it. */
  holdBehind({ recordId, accountRecordId }: Ordered): void {
    const lane = this.#firsts.get(accountRecordId ?? 0);
    const behind = lane?.findIndex((each) => each.recordId === recordId) ?? -1;
    if (lane === undefined || behind < 0) return;
    for (const each of lane.splice(behind + 1)) this.#known.delete(each.recordId);
  }

  /** Forgets deliveries whose attempt has ended and is recorded. */
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
      // What waits in other lanes goes first.
      this.#firsts.delete(key);
      if (lane !== undefined && lane.length > 0) this.#firsts.set(key, lane);
    }
  }
}

/** No record id is 0. */
function laneOf({ accountRecordId }: Ordered): number {
  return accountRecordId ?? 0;
}
