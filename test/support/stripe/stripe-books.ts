import { randomBytes } from 'node:crypto';
import type {
  ChargeObject,
  CustomerObject,
  DisputeObject,
  IntentObject,
  MethodObject,
  RefundObject,
  SetupObject,
  StripeObject,
} from './stripe-objects.ts';
import { missing } from './stripe-objects.ts';

export interface StripeEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly created: number;
  readonly data: { readonly object: StripeObject };
}

/** Search is eventually consistent and lags by a minute. */
const SEARCH_LAG_MS = 60_000;
const MS_PER_SECOND = 1_000;

/** All objects of the double by id, in creation order. */
export class StripeBooks {
  readonly customers = new Map<string, CustomerObject>();
  readonly methods = new Map<string, MethodObject>();
  readonly intents = new Map<string, IntentObject>();
  readonly setups = new Map<string, SetupObject>();
  readonly charges = new Map<string, ChargeObject>();
  readonly refunds = new Map<string, RefundObject>();
  readonly disputes = new Map<string, DisputeObject>();
  readonly events: StripeEvent[] = [];
  readonly #madeMs = new Map<string, number>();
  #laterMs = 0;

  nowMs(): number {
    return Date.now() + this.#laterMs;
  }

  /** Moves the double's clock: search catches up, idempotency keys expire. */
  later(ms: number): void {
    this.#laterMs += ms;
  }

  newObject<K extends string>(prefix: string, object: K, metadata: Record<string, string>) {
    const id = `${prefix}_${randomBytes(12).toString('hex')}`;
    const nowMs = this.nowMs();
    this.#madeMs.set(id, nowMs);
    const created = Math.floor(nowMs / MS_PER_SECOND);
    return { id, object, created, metadata, livemode: false as const };
  }

  isSearchable({ id }: StripeObject): boolean {
    return (this.#madeMs.get(id) ?? 0) + SEARCH_LAG_MS <= this.nowMs();
  }

  emit(type: string, object: StripeObject): void {
    const { id, created } = this.newObject('evt', 'event', {});
    // Store a copy, since later changes are later events.
    this.events.push({ id, object: 'event', type, created, data: { object: structuredClone(object) } });
  }

  customer(id: string): CustomerObject {
    return found(this.customers, 'customer', id);
  }

  method(id: string): MethodObject {
    return found(this.methods, 'PaymentMethod', id);
  }

  intent(id: string): IntentObject {
    return found(this.intents, 'payment_intent', id);
  }

  chargeOf({ latest_charge: id }: IntentObject): ChargeObject {
    return found(this.charges, 'charge', id ?? '');
  }
}

export function found<T>(objects: ReadonlyMap<string, T>, what: string, id: string): T {
  const object = objects.get(id);
  if (object === undefined) throw missing(what, id);
  return object;
}
