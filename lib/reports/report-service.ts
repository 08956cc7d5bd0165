import type { Ports } from '../ports/index.ts';
import type { CallContext, WithContext } from '../records/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import { DAY_MS } from '../values/limits.ts';
import {
  addMilliseconds,
  addMonths,
  type Instant,
  instantWithinCalendar,
  type LocalDate,
  localDateIfValid,
  localDateOf,
  monthsBetween,
  UTC,
  withDayOfMonth,
} from '../values/time/index.ts';
import { monthCount, monthText, subscriptionCount } from './counts.ts';
import { findObjects } from './find-objects.ts';
import type {
  FailedPaymentsRequest,
  FailedPaymentView,
  FindRequest,
  MonthsReport,
  MonthsRequest,
  OverdueReport,
  ReportOperations,
  SubscriptionsReport,
} from './report-operations.ts';
import { keepCounts } from './resumable-count.ts';

const DEFAULT_MONTHS = 12;
const MAX_MONTHS = 60;

const DEFAULT_FAILED_MS = 7 * DAY_MS;
const MAX_FAILED_MS = 90 * DAY_MS;
const DEFAULT_FAILED = 20;
const MAX_FAILED = 100;

/** Maximum number of search results, and the default. */
const MAX_FOUND = 20;

/** Operations that report figures and find objects (§1). */
export function reportOperations(
  ports: Pick<Ports, 'storage' | 'systemClock'>,
): ReportOperations<WithContext> {
  const { storage } = ports;
  return {
    async months(context: CallContext, request: MonthsRequest = {}): Promise<MonthsReport> {
      const thisMonth = monthOf(context.createdDate);
      // The latest months are counted first, because they are stale more often.
      const months = monthsOf(request, thisMonth).toReversed();
      const counts = months.map((month) => monthCount(month, thisMonth));
      const kept = await keepCounts(ports, context, counts);
      const reported = kept.map(({ figures, countedAt, isCounting }, index) => {
        const month = monthText(months[index] ?? thisMonth);
        return { month, countedAt, isCounting, currencies: figures ?? [] };
      });
      return { isComplete: kept.every(({ isCounting }) => !isCounting), months: reported.toReversed() };
    },

    async subscriptions(context: CallContext): Promise<SubscriptionsReport> {
      const [kept] = await keepCounts(ports, context, [subscriptionCount(context.createdDate)]);
      const { figures = null, countedAt = null, isCounting = true } = kept ?? {};
      return { countedAt, isCounting, plans: figures?.plans ?? [] };
    },

    async overdue(context: CallContext): Promise<OverdueReport> {
      const counted = await storage.readInOneStatement(context.tenant, ({ overdue }) =>
        overdue.countStates(),
      );
      const states = counted.map(({ stateName: name, accounts }) => ({ name, accounts }));
      return { states: states.sort((one, other) => (one.name < other.name ? -1 : 1)) };
    },

    async failedPayments(
      context: CallContext,
      { from, to, limit = DEFAULT_FAILED }: FailedPaymentsRequest = {},
    ): Promise<readonly FailedPaymentView[]> {
      checkLimit(limit, MAX_FAILED);
      const end = to ?? addMilliseconds(context.createdDate, 1);
      const start = from ?? instantWithinCalendar(end - DEFAULT_FAILED_MS);
      if (end - start > MAX_FAILED_MS)
        throw invalidParameter('The range must not exceed 90 days', { from: start, to: end });
      const failed = await storage.readInOneStatement(context.tenant, ({ reports }) =>
        reports.failedPayments({ from: start, to: end, limit }),
      );
      return failed.map((transaction) => {
        const { id: transactionId, effectiveDate: date, paymentId, transactionType, status } = transaction;
        const { accountId, accountKey, accountName, invoiceId, amount, currency } = transaction;
        const { gatewayErrorCode, gatewayErrorMsg, paymentResponse, isRecovered } = transaction;
        return {
          paymentId,
          transactionId,
          transactionType,
          status,
          date,
          accountId,
          accountKey,
          accountName,
          invoiceId,
          amount,
          currency,
          gatewayErrorCode,
          gatewayErrorMsg,
          paymentResponse,
          isRecovered,
        };
      });
    },

    async find(context: CallContext, { text, limit = MAX_FOUND }: FindRequest) {
      checkLimit(limit, MAX_FOUND);
      const found = await storage.read(context.tenant, (session) => findObjects(session, text.trim()));
      return found.slice(0, limit);
    },
  };
}

/** Returns the first day of the month that contains an instant, in UTC. */
function monthOf(at: Instant): LocalDate {
  return withDayOfMonth(localDateOf(at, UTC), 1);
}

/** Returns the first day of each requested month. @throws BillingError INVALID_PARAMETER (60002). */
function monthsOf({ from, to }: MonthsRequest, thisMonth: LocalDate): readonly LocalDate[] {
  const last = readMonth('to', to) ?? thisMonth;
  const first = readMonth('from', from) ?? addMonths(last, 1 - DEFAULT_MONTHS);
  const count = monthsBetween(first, last) + 1;
  if (count >= 1 && count <= MAX_MONTHS)
    return Array.from({ length: count }, (_, index) => addMonths(first, index));
  const range = `${monthText(first)} to ${monthText(last)}`;
  throw invalidParameter(`Invalid months ${range}. Use 1 to ${MAX_MONTHS} months`, { from, to });
}

function readMonth(name: string, text: string | null | undefined): LocalDate | null {
  if (text == null) return null;
  const [, year, month] = /^(\d{4})-(\d{2})$/.exec(text) ?? [];
  const first = localDateIfValid(Number(year), Number(month), 1);
  if (first !== undefined) return first;
  throw invalidParameter(`Invalid ${name} "${text.slice(0, 64)}". Use a month such as 2026-01`, {
    [name]: text,
  });
}

function checkLimit(limit: number, most: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw invalidParameter(`limit must be from 1 to ${most}`, { limit });
}
