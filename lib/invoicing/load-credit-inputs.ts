import type { Uuid } from '../ids/index.ts';
import type { Decimal } from '../money/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import { type AccountCreditInput, type CreditedInvoice, spendsCredit, UNNUMBERED } from './account-credit.ts';
import { isUnpaid } from './invoice-amounts.ts';
import type { AccountInvoicingState, Invoice } from './model.ts';
import { creditStandIn, loadParentInvoices } from './parent-standing.ts';
import { invoicesBeingPaid } from './payments-in-flight.ts';

/** An account whose invoices a transaction has touched, everything counted but the credit that follows. */
export interface CountedAccount {
  readonly state: AccountInvoicingState;
  readonly candidates: readonly CreditedInvoice[];
}

export interface LoadedCreditInput extends AccountCreditInput {
  /** The stored ones, in full. */
  readonly unpaid: readonly Invoice[];
}

/**
 * What the credit of each account is applied to, by account id. A constant number of statements for any number of
 * accounts, and none where no account has credit to spend and no parent pays.
 */
export async function loadCreditInputs(
  session: ReadSession,
  accounts: readonly CountedAccount[],
): Promise<ReadonlyMap<Uuid, LoadedCreditInput>> {
  const standIns = await loadStandIns(
    session,
    accounts.flatMap(({ candidates }) => candidates),
  );
  const inputs = accounts.map(({ state, candidates }) => ({
    accountId: state.accountId,
    credit: state.accountCBA,
    candidates,
    standIns,
  }));
  const spending = inputs.filter(spendsCredit);
  const owners = spending.map(({ accountId }) => accountId);
  const stored = owners.length === 0 ? [] : await session.invoices.findCreditable(owners);
  const touched = new Set(accounts.flatMap(({ candidates }) => candidates.map(({ id }) => id)));
  const unpaid = Map.groupBy(
    stored.filter(({ id }) => !touched.has(id)),
    ({ accountId }) => accountId,
  );
  const offered = spending.flatMap(({ accountId, candidates }) => [
    ...candidates.filter(isUnpaid),
    ...(unpaid.get(accountId) ?? []),
  ]);
  const withheld = await invoicesWithheld(session, offered);
  return new Map(
    inputs.map((input) => [
      input.accountId,
      { ...input, unpaid: unpaid.get(input.accountId) ?? [], withheld },
    ]),
  );
}

/** Of candidates that are linked to a summary of the parent; the stored ones to choose from are not (rule 5). */
async function loadStandIns(
  session: ReadSession,
  candidates: readonly CreditedInvoice[],
): Promise<ReadonlyMap<Uuid, Decimal>> {
  const linked = candidates.filter(({ contributedAmount }) => contributedAmount != null);
  const summaries = await loadParentInvoices(session, linked);
  const entries = linked.flatMap((invoice) => {
    const summary = invoice.parentInvoiceId == null ? undefined : summaries.get(invoice.parentInvoiceId);
    const standIn = summary === undefined ? null : creditStandIn(invoice, summary);
    return standIn === null ? [] : [[invoice.id, standIn] as const];
  });
  return new Map(entries);
}

/** A new invoice has no number yet and no payment either. */
async function invoicesWithheld(
  session: ReadSession,
  offered: readonly CreditedInvoice[],
): Promise<ReadonlySet<Uuid>> {
  const stored = offered.filter(({ invoiceNumber }) => invoiceNumber !== UNNUMBERED);
  return invoicesBeingPaid(
    session,
    stored.map(({ id }) => id),
  );
}
