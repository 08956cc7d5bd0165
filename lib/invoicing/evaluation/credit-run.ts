import type { Invoice } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { CountedAccount, LoadedCreditInput } from '../credit/apply-credit.ts';
import { applyAccountCredit, type CreditedInvoice, UNNUMBERED } from '../credit/apply-credit.ts';
import {
  type CreditedInvoices,
  creditInvoices,
  creditItem,
  NOTHING_CREDITED,
  stateAfterMoves,
} from '../credit/credit-moves.ts';
import { repairsAmong } from '../credit/repaired-debts.ts';
import { accountBalancesAfter, invoiceAmounts } from '../invoices/invoice-amounts.ts';
import type { AccountRun } from './evaluate-account.ts';
import { accountedInvoice } from './invoice-for-run.ts';

interface Crediting {
  /** Local date of the account. */
  readonly today: LocalDate;
  readonly nextItemId: () => Uuid;
  readonly touched?: readonly Invoice[];
}

/** The invoice of a run, as the credit rule sees it. */
export function candidateOf(run: AccountRun, id: Uuid, invoiceDate: LocalDate): CreditedInvoice {
  const { draft, status } = run.invoice;
  const items = [...(draft?.items ?? []), ...run.items];
  return {
    ...accountedInvoice(run.invoice, run.amounts),
    id,
    invoiceDate: draft?.invoice.invoiceDate ?? invoiceDate,
    invoiceNumber: draft?.invoice.invoiceNumber ?? UNNUMBERED,
    repairs: status === 'COMMITTED' ? repairsAmong(items) : [],
  };
}

/** The account as its run leaves it, with the run's invoice counted. */
export function countedRun(run: AccountRun, id: Uuid, invoiceDate: LocalDate): CountedAccount {
  return { state: run.state, candidates: [candidateOf(run, id, invoiceDate)] };
}

/**
 * A run with the account's credit applied to its invoice and to the account's unpaid ones (§10). Pure but
 * for `nextItemId`. @throws InvariantError where the law of credit does not hold.
 * @param touched further candidates: stored invoices that get items too. Default none.
 */
export function creditRun(
  run: AccountRun,
  input: LoadedCreditInput,
  { today, nextItemId, touched = [] }: Crediting,
): { readonly run: AccountRun; readonly credited: CreditedInvoices } {
  const moves = applyAccountCredit(input);
  if (moves.length === 0) return { run, credited: NOTHING_CREDITED };
  const own = new Set(input.candidates.map(({ id }) => id));
  for (const { id } of touched) own.delete(id);
  const stored = [...input.unpaid, ...touched];
  const items = [
    ...run.items,
    ...moves
      .filter(({ invoiceId }) => own.has(invoiceId))
      .map((move) => creditItem(nextItemId(), move, today)),
  ];
  const after = invoiceAmounts([...(run.invoice.draft?.items ?? []), ...items]);
  const others = moves.filter(({ invoiceId }) => !own.has(invoiceId));
  const state = accountBalancesAfter(run.state, {
    before: accountedInvoice(run.invoice, run.amounts),
    after: accountedInvoice(run.invoice, after),
  });
  const credited = creditInvoices(stored, others, { today, nextItemId });
  return {
    run: { ...run, items, amounts: after, state: stateAfterMoves(state, stored, others) },
    credited,
  };
}
