import type { Account } from '../accounts/model.ts';
import type { Catalog } from '../catalog/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import { type Instant, type LocalDate, localDateOf } from '../time/index.ts';
import { type DryRunInvoice, walkToTargetDate } from './dry-run-walk.ts';
import { effectiveTargetDate } from './effective-target-date.ts';
import { initialState } from './initial-state.ts';
import type { InvoicingConfig } from './invoicing-config.ts';
import { loadBillingState } from './load-billing-state.ts';
import type { AccountInvoicingState } from './model.ts';
import { invoicingCurrency } from './new-invoice.ts';
import { invoicesBeingPaid } from './payments-in-flight.ts';
import { runInput, withWindowItems } from './run-accounts.ts';

export interface DryRunRequest {
  readonly account: Account;
  /** null = today in the account's zone. */
  readonly requestedDate: LocalDate | null;
  readonly now: Instant;
  readonly catalog: Catalog;
  readonly config: InvoicingConfig;
}

/**
 * The invoice that the run at the target date would make, or null (invoicing.md §11). Reads one snapshot, takes no lock
 * and writes nothing.
 * @throws BillingError CURRENCY_INVALID (3), INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005).
 */
export async function dryRunToTargetDate(
  session: ReadSession,
  request: DryRunRequest,
  nextItemId: () => Uuid,
): Promise<DryRunInvoice | null> {
  const { account, requestedDate, now, catalog, config } = request;
  // Before any price is looked up, as a real run does: without a currency there is none.
  invoicingCurrency(account);
  const [stored] = await session.invoices.loadStates([account.id]);
  const state = stored ?? initialState(account);
  const today = localDateOf(now, account.timeZone);
  const targetDate = effectiveTargetDate({
    requested: requestedDate,
    today,
    maxTargetDate: state.maxTargetDate,
    maxMonthsInFuture: config.maxMonthsInFuture,
  });
  const { billings, failures } = await loadBillingState(session, {
    requests: [{ account, targetDate, runDate: today, state }],
    catalogOf: () => catalog,
    choice: 'all',
    alignPriceChanges: config.alignPriceChanges,
  });
  for (const { error } of failures) throw error;
  const [billing] = await withWindowItems(session, billings);
  if (!billing) return null;
  const dueDates = billing.subscriptions.flatMap(({ cursor }) => cursor?.nextDueDate ?? []);
  const debts = await loadDebts(session, state);
  return walkToTargetDate({ ...runInput(billing, config), ...debts, dueDates }, nextItemId);
}

/** What the account owes, where it does; the sum of its invoices tells that without a query. */
async function loadDebts(
  session: ReadSession,
  { accountId, accountBalance, accountCBA }: AccountInvoicingState,
) {
  if (!accountBalance.plus(accountCBA).greaterThan(0)) return {};
  const unpaid = await session.invoices.findUnpaid([accountId]);
  const withheld = await invoicesBeingPaid(
    session,
    unpaid.map(({ id }) => id),
  );
  return { unpaid, withheld };
}
