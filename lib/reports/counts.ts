import type { CountPosition, PlanSum, ReadSession } from '../ports/storage/index.ts';
import { DAY_MS } from '../values/limits.ts';
import {
  addDays,
  addMonths,
  formatLocalDate,
  type Instant,
  instant,
  type LocalDate,
  monthsBetween,
  startOfDay,
  UTC,
} from '../values/time/index.ts';
import {
  addFigures,
  calculateCollectedChange,
  hasVoidsOrChargebacks,
  invoiceFigures,
  readMonthFigures,
  transactionFigures,
} from './month-figures.ts';
import type { MonthFigures, PlanFigures } from './report-operations.ts';
import type { Count, CountState } from './resumable-count.ts';

/** Maximum number of rows that one part of a count reads. */
const ROWS_OF_PART = 2_000;
const MINUTE_MS = 60_000;

/** Age in milliseconds at which subscription figures become outdated. */
const SUBSCRIPTIONS_AGE_MS = 10 * MINUTE_MS;

interface MonthPosition {
  readonly stage: 'INVOICES' | 'TRANSACTIONS';
  readonly after: CountPosition | null;
}

type MonthState = CountState<readonly MonthFigures[], MonthPosition>;

/** Returns the count for a month. `month` and `thisMonth` are the first days of months. */
export function monthCount(
  month: LocalDate,
  thisMonth: LocalDate,
): Count<readonly MonthFigures[], MonthPosition> {
  const end = addMonths(month, 1);
  const days = { from: month, to: addDays(end, -1) };
  const instants = { from: startOfDay(month, UTC), to: startOfDay(end, UTC) };
  return {
    name: `month:${monthText(month)}`,
    // Late payments and adjustments mostly belong to the current and the previous month.
    maxAgeMs: monthsBetween(month, thisMonth) <= 1 ? MINUTE_MS : DAY_MS,
    start: { figures: [], position: { stage: 'INVOICES', after: null } },
    countPart: (session, state) =>
      state.position.stage === 'INVOICES'
        ? countInvoices(session, state, days)
        : countTransactions(session, state, instants),
    readFigures: readMonthFigures,
    readPosition: (stored) => stored as MonthPosition,
  };
}

async function countInvoices(
  session: ReadSession,
  { figures, position: { after } }: MonthState,
  days: { readonly from: LocalDate; readonly to: LocalDate },
): Promise<MonthState> {
  const { sums, last } = await session.reports.sumInvoices(days, { after, limit: ROWS_OF_PART });
  return {
    figures: addFigures(figures, invoiceFigures(sums)),
    position: last === null ? { stage: 'TRANSACTIONS', after: null } : { stage: 'INVOICES', after: last },
  };
}

async function countTransactions(
  session: ReadSession,
  { figures, position: { after } }: MonthState,
  instants: { readonly from: Instant; readonly to: Instant },
): Promise<CountState<readonly MonthFigures[], MonthPosition | null>> {
  const { sums, last } = await session.reports.sumTransactions(instants, { after, limit: ROWS_OF_PART });
  const others = hasVoidsOrChargebacks(sums)
    ? await voidsAndChargebacks(session, instants, { after, last })
    : [];
  return {
    figures: addFigures(figures, [...transactionFigures(sums), ...others]),
    position: last === null ? null : { stage: 'TRANSACTIONS', after: last },
  };
}

async function voidsAndChargebacks(
  session: ReadSession,
  ...part: Parameters<ReadSession['reports']['voidsAndChargebacks']>
) {
  const made = await session.reports.voidsAndChargebacks(...part);
  const transactions = await session.payments.findTransactions([
    ...new Set(made.map(({ paymentId }) => paymentId)),
  ]);
  const byPayment = Map.groupBy(transactions, ({ paymentId }) => paymentId);
  return made.flatMap(({ paymentId, recordId }) =>
    calculateCollectedChange(byPayment.get(paymentId) ?? [], recordId),
  );
}

/** Returns a month in text form, such as `2026-01`. */
export function monthText(month: LocalDate): string {
  return formatLocalDate(month).slice(0, 7);
}

export interface SubscriptionFigures {
  /** Instant of the business clock at which the subscriptions are counted. */
  readonly at: Instant;
  readonly plans: readonly PlanFigures[];
}

interface SubscriptionPosition {
  readonly after: CountPosition | null;
}

/** Returns the count of active subscriptions by plan. */
export function subscriptionCount(now: Instant): Count<SubscriptionFigures, SubscriptionPosition> {
  return {
    name: 'subscriptions',
    maxAgeMs: SUBSCRIPTIONS_AGE_MS,
    start: { figures: { at: now, plans: [] }, position: { after: null } },
    async countPart(session, { figures: { at, plans }, position: { after } }) {
      const { sums, last } = await session.reports.sumSubscriptions(at, { after, limit: ROWS_OF_PART });
      return {
        figures: { at, plans: addPlans(plans, sums) },
        position: last === null ? null : { after: last },
      };
    },
    readFigures: (stored) => {
      const { at, plans } = stored as SubscriptionFigures;
      return { at: instant(at), plans };
    },
    readPosition: (stored) => stored as SubscriptionPosition,
    // A test clock can move by months within a second.
    isOutdated: ({ at }) => Math.abs(now - at) >= SUBSCRIPTIONS_AGE_MS,
  };
}

export function addPlans(plans: readonly PlanFigures[], sums: readonly PlanSum[]): readonly PlanFigures[] {
  const byName = new Map(plans.map((plan) => [plan.planName, plan]));
  for (const { planName, count, quantity } of sums) {
    const plan = byName.get(planName);
    byName.set(planName, {
      planName,
      subscriptions: (plan?.subscriptions ?? 0) + count,
      quantity: (plan?.quantity ?? 0) + quantity,
    });
  }
  return [...byName.values()].sort((one, other) => (one.planName < other.planName ? -1 : 1));
}
