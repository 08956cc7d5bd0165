import { type Decimal, decimal } from '../../../lib/index.ts';
import type { AccountModel, Contribution } from './account-model.ts';
import { type FeatureName, isMetered, type Overage, type QuotaValue } from './catalog.ts';
import { amountOf } from './feature-values.ts';
import { periodOn } from './quota-periods.ts';
import { dayIn, type Ms, startOf } from './zones.ts';

const ZERO = decimal('0');
const KEY_MS = 35 * 86_400_000;
const THRESHOLDS = [80, 100];
const PERMISSIVE_FIRST: readonly Overage[] = ['BILL', 'ALLOW', 'BLOCK'];

/** A quota of one subscription, or of the account, in its period. */
export interface Counter {
  readonly feature: FeatureName;
  readonly contribution: Contribution;
  readonly key: string;
  readonly amount: Decimal;
  readonly used: Decimal;
  readonly left: Decimal;
  readonly overage: Overage;
  readonly resetsAt: Ms | null;
}

export interface Balance {
  readonly used: Decimal;
  readonly remaining: Decimal;
  readonly resetsAt: Ms | null;
}

export interface ModelConsumption extends Balance {
  readonly allowed: boolean;
  readonly overage: Decimal;
}

/** Usage that a consumption recorded beyond the quota. */
export interface RecordedUsage {
  readonly subscription: number;
  readonly at: Ms;
  readonly amount: Decimal;
}

interface Draw {
  readonly counter: string;
  readonly amount: Decimal;
}

interface Use {
  readonly feature: FeatureName;
  readonly key: string | null;
  readonly called: Ms;
  readonly amount: string;
  readonly result: ModelConsumption;
  readonly draws: readonly Draw[];
  readonly usage: RecordedUsage | null;
  isReleased: boolean;
}

export interface ConsumeCall {
  readonly feature: FeatureName;
  readonly amount: string;
  readonly key: string | null;
  /** Instant of the call. */
  readonly now: Ms;
  /** Instant of the consumption. */
  readonly at: Ms;
}

/** The counters of the quotas of one account (features §4). */
export class QuotaModel {
  readonly #account: AccountModel;
  readonly #uses: Use[] = [];
  /** Events since the last call of `takeEvents`. */
  #events: string[] = [];
  /** Published percentages by counter. */
  readonly #published = new Set<string>();

  constructor(account: AccountModel) {
    this.#account = account;
  }

  /** The counters in the order in which they are drawn from. */
  counters(feature: FeatureName, at: Ms): readonly Counter[] {
    return this.#account
      .contributions(feature, at)
      .map((contribution) => this.#counterOf(contribution, feature, at))
      .toSorted((a, b) => endOf(a) - endOf(b));
  }

  balance(feature: FeatureName, at: Ms): Balance {
    const counters = this.counters(feature, at);
    const ends = counters.flatMap(({ resetsAt }) => resetsAt ?? []);
    return {
      used: sum(counters.map(({ used }) => used)),
      remaining: sum(counters.map(({ left }) => left)),
      resetsAt: ends.length === 0 ? null : Math.min(...ends),
    };
  }

  can(feature: FeatureName, { at, amount }: { readonly at: Ms; readonly amount: string }): boolean {
    const counters = this.counters(feature, at);
    const { remaining } = this.balance(feature, at);
    return remaining.greaterThanOrEqualTo(amount) || modeOf(counters) !== 'BLOCK';
  }

  /** Returns the result, or null for a key that was used with another amount. */
  consume(call: ConsumeCall): ModelConsumption | null {
    const known = this.#useOf(call.feature, call.key, call.now);
    if (known !== undefined) return decimal(known.amount).equals(call.amount) ? known.result : null;
    const { feature, key, now: called, amount, at } = call;
    const counters = this.counters(feature, at);
    const { draws, rest } = drawn(counters, decimal(amount));
    const mode = modeOf(counters);
    const isAllowed = rest.isZero() || mode !== 'BLOCK';
    const over = rest.isZero() ? undefined : counters.find(({ overage }) => overage === mode);
    const counted = over !== undefined && mode === 'ALLOW' ? [{ counter: over.key, amount: rest }] : [];
    const payer = mode === 'BILL' ? (over?.contribution.subscription ?? null) : null;
    const use: Use = {
      feature,
      key,
      called,
      amount,
      result: { allowed: isAllowed, overage: isAllowed ? rest : ZERO, ...this.balance(feature, at) },
      draws: isAllowed ? [...draws, ...counted] : [],
      usage: payer === null ? null : { subscription: payer, at, amount: rest },
      isReleased: false,
    };
    this.#uses.push(use);
    const result = { ...use.result, ...this.balance(feature, at) };
    this.#uses.splice(-1, 1, { ...use, result });
    const drawnKeys = new Set(use.draws.filter((each) => !each.amount.isZero()).map((each) => each.counter));
    for (const counter of this.counters(feature, at)) if (drawnKeys.has(counter.key)) this.#publish(counter);
    return result;
  }

  /** Returns the QUOTA_THRESHOLD events since the last call, as lines. */
  takeEvents(): readonly string[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Publishes each percentage that a counter has reached, once per period (features §5). */
  #publish({ contribution, key, feature, used, amount }: Counter): void {
    for (const percentage of THRESHOLDS) {
      const event = `${key} ${percentage}`;
      if (used.times(100).lessThan(amount.times(percentage)) || this.#published.has(event)) continue;
      this.#published.add(event);
      const place = contribution.subscription ?? 'account';
      this.#events.push(`${feature} of ${place}: ${percentage} %, ${used.toFixed()} of ${amount.toFixed()}`);
    }
  }

  /** Returns the released amount and the balance, or null for an unknown key. */
  release(feature: FeatureName, key: string, now: Ms): (Balance & { readonly released: Decimal }) | null {
    const use = this.#useOf(feature, key, now);
    if (use === undefined) return null;
    const isEmpty = use.isReleased || !use.result.allowed;
    use.isReleased = true;
    return { released: isEmpty ? ZERO : decimal(use.amount), ...this.balance(feature, now) };
  }

  /** Usage beyond quotas that was not released. */
  get usage(): readonly RecordedUsage[] {
    return this.#uses.flatMap(({ usage, isReleased }) => (usage === null || isReleased ? [] : [usage]));
  }

  #useOf(feature: FeatureName, key: string | null, now: Ms): Use | undefined {
    if (key === null) return undefined;
    return this.#uses.find((use) => use.feature === feature && use.key === key && now < use.called + KEY_MS);
  }

  #counterOf(contribution: Contribution, feature: FeatureName, at: Ms): Counter {
    const { subscription, value, planName } = contribution;
    const { per, overage: declared = 'BLOCK' } = value as QuotaValue;
    // A plan without a price for the unit blocks the part that an override bills (features §2 rule 3).
    const isBlocked = declared === 'BILL' && (planName === null || !isMetered(planName));
    const overage = isBlocked ? 'BLOCK' : declared;
    const { zone } = this.#account;
    const { start, end } = periodOn(per, dayIn(at, zone), this.#account.cycles(subscription));
    // A counter belongs to the start of its period, so it also counts after an override with another length.
    const key = `${subscription ?? 'account'} ${feature} ${start}`;
    const amount = amountOf(contribution) ?? ZERO;
    const draws = this.#uses.flatMap((use) => (use.isReleased ? [] : use.draws));
    const used = sum(draws.filter(({ counter }) => counter === key).map((draw) => draw.amount));
    const left = used.greaterThan(amount) ? ZERO : amount.minus(used);
    const resetsAt = end === null ? null : startOf(end, zone);
    return { feature, contribution, key, amount, used, left, overage, resetsAt };
  }
}

const endOf = ({ resetsAt }: Counter): number => resetsAt ?? Number.MAX_SAFE_INTEGER;

export const sum = (amounts: readonly Decimal[]): Decimal =>
  amounts.reduce((all, each) => all.plus(each), ZERO);

/** The most permissive mode of several quotas. */
function modeOf(counters: readonly Counter[]): Overage {
  return PERMISSIVE_FIRST.find((mode) => counters.some(({ overage }) => overage === mode)) ?? 'BLOCK';
}

/** Draws from each counter what is left in it. */
function drawn(counters: readonly Counter[], amount: Decimal): { draws: readonly Draw[]; rest: Decimal } {
  const draws: Draw[] = [];
  let rest = amount;
  for (const { key, left } of counters) {
    const part = left.lessThan(rest) ? left : rest;
    draws.push({ counter: key, amount: part });
    rest = rest.minus(part);
  }
  return { draws, rest };
}
