import type { Sha256 } from '../../ports/index.ts';
import { ConcurrentChangeError, type WriteSession } from '../../ports/storage/index.ts';
import type { QuotaUse, StoredQuotaOutcome } from '../../records/index.ts';
import { recordCausedUsage } from '../../usage/index.ts';
import { assertInvariant, type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, decimal, formatDecimal, sum, ZERO } from '../../values/money/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { addMilliseconds, type Instant } from '../../values/time/index.ts';
import {
  type CountedSource,
  type DrawPlan,
  planDraws,
  quotaBalance,
  type UsedOf,
} from '../evaluation/quota-draws.ts';
import { reachedThresholds } from '../evaluation/quota-thresholds.ts';
import type { AccountFeatures } from '../loading/feature-cache.ts';
import { counterOf, loadUsedAmounts } from '../loading/load-features.ts';
import type { Consumption } from '../operations/feature-operations.ts';
import { quotaThresholdEvent } from './feature-events.ts';
import { keysSince, QUOTA_KEY_MS } from './quota-limits.ts';

/** One call that consumes a quota, with all data that its transaction needs. */
export interface Consuming {
  readonly loaded: AccountFeatures;
  readonly feature: string;
  /** The contributions, in the order in which they are consumed. */
  readonly sources: readonly CountedSource[];
  readonly amount: Decimal;
  readonly key: string | null;
  readonly at: Instant;
  readonly useId: Uuid;
  /** Tracking id of the usage for the part beyond the quota. */
  readonly trackingId: string;
}

/** A counter after a draw. */
interface Drawn {
  readonly source: CountedSource;
  readonly amount: Decimal;
  readonly used: Decimal;
  readonly announced: number;
}

export interface Consumed {
  readonly consumption: Consumption;
  readonly draws: readonly Pick<Drawn, 'source' | 'used'>[];
}

/** Consumes an amount in one transaction (§4). If the key was already used, returns the result of the first call. */
export async function consumeQuota(
  session: WriteSession,
  consuming: Consuming,
  sha256: Sha256,
): Promise<Consumed> {
  const { loaded, feature, amount, key } = consuming;
  const { recordId: accountRecordId } = loaded.account;
  if (key !== null) {
    const since = keysSince(session.authorship.createdDate);
    const use = await session.features.findUse({ accountRecordId, feature, key, since });
    if (use !== null) return { consumption: firstResult(use, amount), draws: [] };
  }
  const { plan, draws, consumption } = await drawAmount(session, consuming);
  const billedUnder = plan?.billed
    ? await bill(session, { ...consuming, source: plan.billed, overage: plan.overage }, sha256)
    : null;
  await announceThresholds(session, consuming, draws);
  if (session.tenant.within !== undefined) session.touch(accountRecordId);
  if (key !== null) await keep(session, consuming, { plan, draws, consumption, billedUnder });
  return { consumption, draws };
}

interface Outcome extends Consumed {
  readonly draws: readonly Drawn[];
  /** Null if nothing was consumed. */
  readonly plan: DrawPlan | null;
}

/**
 * Takes the amount from the counters. Reads them first only if there are several contributions, or if the remaining
 * amount may be too small.
 */
async function drawAmount(session: WriteSession, consuming: Consuming): Promise<Outcome> {
  const { feature, sources, amount } = consuming;
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0 && amount.lessThanOrEqualTo(only.amount)) {
    const plan = { draws: [{ source: only, amount, isUnbounded: false }], overage: ZERO, billed: null };
    const draws = await drawPlanned(session, consuming, plan);
    if (draws !== null) return outcomeOf(sources, plan, { draws, usedOf: () => ZERO });
  }
  const usedOf = (await loadUsedAmounts(session, [{ name: feature, counted: sources }])).of(feature);
  const plan = planDraws(sources, usedOf, amount);
  if (plan === null) {
    return {
      plan,
      draws: [],
      consumption: { allowed: false, ...quotaBalance(sources, usedOf), overage: ZERO },
    };
  }
  const draws = await drawPlanned(session, consuming, plan);
  if (draws !== null) return outcomeOf(sources, plan, { draws, usedOf });
  throw new ConcurrentChangeError(`Another call consumed feature "${feature}" in the meantime`, { feature });
}

/**
 * Takes the planned amounts from the counters. Returns the resulting counters, or null if a counter would exceed its
 * limit.
 */
async function drawPlanned(
  session: WriteSession,
  { loaded, feature }: Consuming,
  { draws }: DrawPlan,
): Promise<readonly Drawn[] | null> {
  const results = await Promise.all(
    draws.map(async ({ source, amount, isUnbounded }) => {
      const drawn = await session.features.draw({
        ...counterOf(feature, source),
        accountRecordId: loaded.account.recordId,
        amount,
        limits: isUnbounded ? null : [{ announced: 0, upTo: source.amount }],
        keepUntil: counterRetentionEnd(source),
      });
      return drawn === null ? null : { source, amount, ...drawn };
    }),
  );
  const drawn = results.filter((each) => each !== null);
  return drawn.length < results.length ? null : drawn;
}

/**
 * Returns the time until which a counter must be kept, because use can still be backdated into the period of the
 * counter.
 */
export function counterRetentionEnd({ quota: { resetsAt } }: CountedSource): Instant | null {
  return resetsAt === null ? null : addMilliseconds(resetsAt, 2 * QUOTA_KEY_MS);
}

function outcomeOf(
  sources: readonly CountedSource[],
  plan: DrawPlan,
  { draws, usedOf }: { readonly draws: readonly Drawn[]; readonly usedOf: UsedOf },
): Outcome {
  const after = new Map(draws.map(({ source, used }) => [source, used]));
  const balance = quotaBalance(sources, (source) => after.get(source) ?? usedOf(source));
  return { plan, draws, consumption: { allowed: true, ...balance, overage: overageOf(plan, draws) } };
}

/**
 * Returns the part beyond the quota. In a counter without a limit, another call may have increased the used amount
 * since it was read.
 */
function overageOf({ draws: planned, overage, billed }: DrawPlan, draws: readonly Drawn[]): Decimal {
  if (billed !== null || !planned.some(({ isUnbounded }) => isUnbounded)) return overage;
  return sum(
    draws.map(({ source, amount, used }) => beyond(used, source).minus(beyond(used.minus(amount), source))),
  );
}

function beyond(used: Decimal, { amount }: CountedSource): Decimal {
  return used.greaterThan(amount) ? used.minus(amount) : ZERO;
}

/**
 * Records the part beyond the quota as usage. Returns its tracking id. If the subscription already has other usage with
 * the tracking id, for example for another feature with the same key, uses the id of this use of the quota instead.
 */
async function bill(
  session: WriteSession,
  {
    loaded,
    source,
    overage,
    trackingId,
    useId,
    at,
    feature,
  }: Consuming & { readonly source: CountedSource; readonly overage: Decimal },
  sha256: Sha256,
): Promise<string> {
  const { subscriptionId: id, subscriptionRecordId: recordId, quota } = source;
  const { unit } = quota;
  assertInvariant(id !== null && recordId !== null && unit !== null, 'A billed quota needs a unit', {
    feature,
  });
  const { recordId: accountRecordId, timeZone: zone } = loaded.account;
  const subscription = { id, recordId, accountRecordId };
  const usage = { subscription, trackingId, unit, amount: overage, at, zone };
  if (await recordCausedUsage(session, usage, sha256)) return trackingId;
  const isRecorded = await recordCausedUsage(session, { ...usage, trackingId: useId }, sha256);
  assertInvariant(isRecorded, 'The id of a use must be a new tracking id', { feature, useId });
  return useId;
}

/** Publishes QUOTA_THRESHOLD, at most once per counter, period and threshold (§5). */
async function announceThresholds(
  session: WriteSession,
  { loaded, feature }: Consuming,
  draws: readonly Drawn[],
): Promise<void> {
  const reached = draws.flatMap(({ source, used, announced }) => {
    const percents = reachedThresholds(loaded.thresholds, { used, amount: source.amount, announced });
    return percents.map((percent) => ({ feature, source, used, percent }));
  });
  session.publish(reached.map((each) => quotaThresholdEvent(loaded.account, each)));
  const highest = new Map(
    reached.map(({ source, percent }) => [source, { ...counterOf(feature, source), announced: percent }]),
  );
  await session.features.announce([...highest.values()]);
}

/** Stores the result of a key. */
async function keep(
  session: WriteSession,
  consuming: Consuming,
  { plan, draws, consumption, billedUnder }: Outcome & { readonly billedUnder: string | null },
): Promise<void> {
  const { loaded, feature, amount, key, useId } = consuming;
  if (key === null) return;
  const subscriptionRecordId = plan?.billed?.subscriptionRecordId ?? null;
  const outcome: StoredQuotaOutcome = {
    allowed: consumption.allowed,
    used: formatDecimal(consumption.used),
    remaining: formatDecimal(consumption.remaining),
    overage: formatDecimal(consumption.overage),
    resetsAt: consumption.resetsAt,
    draws: draws.map(({ source, amount: drawn }) => {
      const { ownerId, periodStart } = counterOf(feature, source);
      return { ownerId, periodStart, amount: formatDecimal(drawn) };
    }),
    billed:
      subscriptionRecordId === null || billedUnder === null
        ? null
        : { subscriptionRecordId, trackingId: billedUnder },
  };
  const { createdDate } = session.authorship;
  const { recordId: accountRecordId } = loaded.account;
  const use = { id: useId, accountRecordId, feature, key, amount, outcome, isReleased: false, createdDate };
  const isKept = await session.features.insertUse(use, keysSince(createdDate));
  if (!isKept)
    throw new ConcurrentChangeError(`Another call used key ${shortenText(key)} in the meantime`, { key });
}

/**
 * Returns the result of the first call with a key.
 * @throws BillingError QUOTA_KEY_REUSED (63005) if the amount is different.
 */
function firstResult({ key, amount: first, outcome }: QuotaUse, amount: Decimal): Consumption {
  if (!first.equals(amount)) throw keyReused(key, first);
  return {
    allowed: outcome.allowed,
    used: decimal(outcome.used),
    remaining: decimal(outcome.remaining),
    overage: decimal(outcome.overage),
    resetsAt: outcome.resetsAt,
  };
}

function keyReused(key: string, first: Decimal): BillingError {
  return billingError(
    ErrorCode.QUOTA_KEY_REUSED,
    `Key "${shortenText(key)}" was used before: it consumed ${formatDecimal(first)}. Use another key for another consumption`,
    { key },
  );
}

/**
 * Undoes a use of a quota. Subtracts its amounts from the counters and voids its recorded usage. Returns the released
 * amount, which is 0 if the use was released before or consumed nothing.
 * @throws BillingError USAGE_RECORD_ARCHIVED (50003).
 */
export async function releaseUse(session: WriteSession, use: QuotaUse): Promise<Decimal> {
  const { id, accountRecordId, feature, amount, outcome } = use;
  if (!(await session.features.releaseUse(id)) || !outcome.allowed) return ZERO;
  await Promise.all(
    outcome.draws.map(({ amount: drawn, ...counter }) =>
      session.features.giveBack({ ...counter, accountRecordId, feature, amount: decimal(drawn) }),
    ),
  );
  if (outcome.billed !== null) await voidUsage(session, outcome.billed);
  return amount;
}

async function voidUsage(
  session: WriteSession,
  { subscriptionRecordId, trackingId }: NonNullable<StoredQuotaOutcome['billed']>,
): Promise<void> {
  const outcome = await session.usage.voidSubmission(subscriptionRecordId, trackingId);
  if (outcome !== 'ARCHIVED') return;
  throw billingError(
    ErrorCode.USAGE_RECORD_ARCHIVED,
    `The usage that key "${shortenText(trackingId)}" recorded is archived and cannot be released`,
    { trackingId },
  );
}
