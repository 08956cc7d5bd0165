import type { Instant, LocalDate } from '../../values/time/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import { CLEAR_STATE_NAME } from '../config/overdue-config.ts';
import { agesFrom, type BillingSnapshot, billingSnapshot } from '../evaluation/billing-snapshot.ts';
import { evaluateOverdue } from '../evaluation/evaluate.ts';
import { explanationText } from '../evaluation/explanation-text.ts';
import { stateReasons } from '../evaluation/reasons.ts';
import type { OverdueFacts } from '../loading/overdue-facts.ts';
import type { OverdueExplanation } from './overdue-account-operations.ts';
import { type StateSettings, storedStateView } from './state-view.ts';

/** What is told of an account's state, for today. */
export function explanationOf(
  facts: OverdueFacts,
  known: {
    readonly settings: StateSettings;
    readonly since: Instant | null;
    readonly nextCheck: Instant | null;
  },
): OverdueExplanation {
  const { account, today, payerId, exemptBy } = facts;
  const { settings, since, nextCheck } = known;
  const { config } = settings;
  const snapshot = billingSnapshot(facts.unpaid, facts);
  const state = storedStateView(facts.prev, settings);
  const matched = evaluateOverdue(config, snapshot, today)?.name ?? null;
  const reasons = stateReasons({ config, snapshot, date: today, currency: account.currency });
  return {
    accountId: account.id,
    state,
    since,
    date: today,
    matched,
    exemptBy,
    payingAccountId: payerId,
    currency: account.currency,
    ...owedOf(snapshot),
    controlTags: [...facts.tags].sort(),
    invoices: facts.unpaid
      .filter(({ targetDate }) => targetDate === null || targetDate <= today)
      .map((invoice) => ({
        invoiceId: invoice.invoiceId,
        unpaidSince: agesFrom(invoice),
        balance: invoice.balance,
      })),
    nextCheck,
    reasons,
    text: explanationText({
      state: state.isClearState ? CLEAR_STATE_NAME : state.name,
      since: dayOf(since, facts),
      matched,
      exempt: exemptBy === null ? null : exemptBy === account.id ? 'SELF' : 'PARENT',
      isPaidByParent: payerId !== account.id,
      reasons,
      nextCheck: dayOf(nextCheck, facts),
    }),
  };
}

function owedOf({ unpaidCount, unpaidTotal, anchor, lastPaymentResponse }: BillingSnapshot) {
  return { unpaidCount, unpaidTotal, unpaidSince: anchor, lastPaymentResponse };
}

/** The day on which an instant is for the account. */
export function dayOf(at: Instant | null, { account }: OverdueFacts): LocalDate | null {
  return at === null ? null : localDateOf(at, account.timeZone);
}
