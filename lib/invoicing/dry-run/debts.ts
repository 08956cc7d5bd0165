import { isPaidByParent } from '../../accounts/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account, AccountInvoicingState } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { addDays, type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import { parentCommitTime } from '../invoices/parent-summary.ts';
import {
  invoicesBeingPaid,
  loadCreditableInvoices,
  loadParentInvoices,
  loadRepairedDebts,
} from '../loading/load-credit-inputs.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';
import { type Debts, NO_DEBTS } from './walk.ts';

export interface DebtsInput {
  readonly account: Account;
  readonly state: AccountInvoicingState;
  /** Items that may be repaired. */
  readonly itemIds: readonly Uuid[];
}

type LoadedDebts = Omit<Debts, 'unpaidInvoice'>;

/**
 * The debts of each of these accounts. Where an account pays itself, and a parent none of the items, the sum of its invoices
 * tells without a query whether there are any.
 */
export async function loadDebts(
  session: ReadSession,
  inputs: readonly DebtsInput[],
  config: Pick<InvoicingConfig, 'parentCommitTimeOfDay'>,
): Promise<(input: DebtsInput) => LoadedDebts> {
  const debts = await loadRepairedDebts(
    session,
    inputs.flatMap(({ itemIds }) => itemIds),
  );
  const mayOwe = ({ account, state, itemIds }: DebtsInput): boolean =>
    state.accountBalance.plus(state.accountCBA).greaterThan(0) ||
    isPaidByParent(account) ||
    itemIds.some((id) => debts.has(id));
  const owing = new Set(inputs.filter(mayOwe).map(({ account }) => account.id));
  if (owing.size === 0) return () => NO_DEBTS;
  const found = await loadCreditableInvoices(session, [...owing]);
  const withheld = await invoicesBeingPaid(
    session,
    found.map(({ id }) => id),
  );
  const summaries = await loadParentInvoices(session, found);
  const unpaidOf = Map.groupBy(found, ({ accountId }) => accountId);
  return ({ account, itemIds }) => {
    if (!owing.has(account.id)) return NO_DEBTS;
    const unpaid = unpaidOf.get(account.id) ?? [];
    const openUntil = unpaid.flatMap(({ id, parentInvoiceId }) => {
      const summary = parentInvoiceId === null ? undefined : summaries.get(parentInvoiceId);
      if (summary === undefined) return [];
      const commit = parentCommitTime(summary.createdDate, config.parentCommitTimeOfDay);
      return [[id, lastRunBefore(commit, account)] as const];
    });
    const debtOf = new Map(
      itemIds.flatMap((id) => {
        const debt = debts.get(id);
        return debt === undefined ? [] : [[id, debt] as const];
      }),
    );
    return { unpaid, withheld, openUntil: new Map(openUntil), debtOf };
  };
}

/** Runs of a day begin at the reference time. */
function lastRunBefore(at: Instant, account: Account): LocalDate {
  const day = localDateOf(at, account.timeZone);
  return atReferenceTime(day, account).at < at ? day : addDays(day, -1);
}
