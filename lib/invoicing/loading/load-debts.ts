import { isPaidByParent } from '../../accounts/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account, AccountInvoicingState } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { addDays, type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import { type Debts, NO_DEBTS } from '../evaluation/dry-run-walk.ts';
import { parentCommitTime } from '../invoices/parent-commit-time.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';
import { loadCreditableInvoices, loadParentInvoices } from './load-open-invoices.ts';
import { invoicesBeingPaid } from './load-payments-in-flight.ts';
import { loadRepairedDebts } from './load-repaired-debts.ts';

export interface DebtsInput {
  readonly account: Account;
  readonly state: AccountInvoicingState;
  readonly config: Pick<InvoicingConfig, 'parentCommitTimeOfDay'>;
  /** Items that may be repaired. */
  readonly itemIds: readonly Uuid[];
}

/**
 * The debts of an account. Where it pays itself, and a parent none of the items, the sum of its invoices tells without a
 * query whether there are any.
 */
export async function loadDebts(
  session: ReadSession,
  input: DebtsInput,
): Promise<Omit<Debts, 'unpaidInvoice'>> {
  const { account, state } = input;
  const debtOf = await loadRepairedDebts(session, input.itemIds);
  const owed = state.accountBalance.plus(state.accountCBA);
  if (!owed.greaterThan(0) && !isPaidByParent(account) && debtOf.size === 0) return NO_DEBTS;
  const unpaid = await loadCreditableInvoices(session, [account.id]);
  const withheld = await invoicesBeingPaid(
    session,
    unpaid.map(({ id }) => id),
  );
  const summaries = await loadParentInvoices(session, unpaid);
  const openUntil = unpaid.flatMap(({ id, parentInvoiceId }) => {
    const summary = parentInvoiceId === null ? undefined : summaries.get(parentInvoiceId);
    if (summary === undefined) return [];
    const commit = parentCommitTime(summary.createdDate, input.config.parentCommitTimeOfDay);
    return [[id, lastRunBefore(commit, account)] as const];
  });
  return { unpaid, withheld, openUntil: new Map(openUntil), debtOf };
}

/** Runs of a day begin at the reference time. */
function lastRunBefore(at: Instant, account: Account): LocalDate {
  const day = localDateOf(at, account.timeZone);
  return atReferenceTime(day, account).at < at ? day : addDays(day, -1);
}
