import { type CoverageRow, type InvoiceItem, InvoiceItemType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum } from '../../values/money/index.ts';
import { type AccountRun, accountedInvoice } from '../evaluation/evaluate-account.ts';
import type { SubscriptionEvaluation } from '../evaluation/evaluate-subscription.ts';
import { accountBalancesAfter, invoiceAmounts } from '../invoices/invoice-amounts.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { AskedInvoice } from './additional-items.ts';

/** What plugins have made of the invoice of a run. */
export interface DecidedInvoice {
  readonly asked: AskedInvoice;
  /** Its items as the invoices that they go to; one unless plugins have split it. */
  readonly groups: readonly (readonly NewInvoiceItem[])[];
}

/** True if all of it goes to the run's one invoice, so that it can be stored as a run without plugins is. */
export function isOneInvoice({ asked, groups }: DecidedInvoice): boolean {
  return (
    groups.length === 1 &&
    asked.elsewhere.length === 0 &&
    asked.existing.length === 0 &&
    asked.chosenIds.length === 0
  );
}

/** The run with the items that plugins have left, and with what follows of them for the account's invoice and coverage. */
export function decidedRun(run: AccountRun, { items, existing }: AskedInvoice): AccountRun {
  const amounts = invoiceAmounts([...existing, ...items]);
  return {
    ...run,
    items,
    amounts,
    evaluations: decidedEvaluations(run.evaluations, items),
    state: accountBalancesAfter(run.state, {
      before: accountedInvoice(run.invoice, run.amounts),
      after: accountedInvoice(run.invoice, amounts),
    }),
  };
}

/**
 * A changed amount is what later repairs take shares of; what a plugin has taken off a repair is left of the repaired item.
 */
function decidedEvaluations(
  evaluations: readonly SubscriptionEvaluation[],
  items: readonly NewInvoiceItem[],
): readonly SubscriptionEvaluation[] {
  const decided = new Map(items.map((item) => [item.id, item]));
  const hasChanged = (item: NewInvoiceItem): boolean => !decided.get(item.id)?.amount.equals(item.amount);
  return evaluations.map((evaluation) => {
    const changed = evaluation.items.filter(hasChanged);
    if (changed.length === 0) return evaluation;
    const amountOf = (id: Uuid): Decimal | undefined => decided.get(id)?.amount;
    const { coverage } = evaluation;
    const inserted = coverage.inserted.map((row) => decidedRow(row, amountOf(row.itemId) ?? row.amount));
    return {
      ...evaluation,
      coverage: { ...coverage, inserted },
      repairable: evaluation.repairable.map((left) => withLessRepaired(left, changed, amountOf)),
    };
  });
}

/**
 * The row of a charge whose amount plugins have decided (§1.5): days that were free and are charged now can be repaired, and
 * days that were charged and are free now stay billed, by whatever part a later run asks for. The row of a one-time price
 * keeps what the catalog asks for: by that, later runs know that it is billed.
 */
function decidedRow(row: CoverageRow, amount: Decimal): CoverageRow {
  if (row.kind === 'FIXED' || row.amount.equals(amount)) return row;
  return { ...row, kind: 'RECURRING', amount };
}

function withLessRepaired<L extends Pick<InvoiceItem, 'id' | 'repairable'>>(
  left: L,
  changed: readonly NewInvoiceItem[],
  amountOf: (id: Uuid) => Decimal | undefined,
): L {
  const repairs = changed.filter(
    ({ itemType, linkedItemId }) => itemType === InvoiceItemType.REPAIR_ADJ && linkedItemId === left.id,
  );
  if (repairs.length === 0) return left;
  const given = sum(repairs.map(({ id, amount }) => (amountOf(id) ?? amount).minus(amount)));
  return { ...left, repairable: left.repairable.plus(given) };
}

/** The run of one step of a dry run with what plugins have made of it; a reused draft goes on as they have rewritten it. */
export function decidedStep(run: AccountRun, asked: AskedInvoice): AccountRun {
  const decided = decidedRun(run, asked);
  const { draft } = run.invoice;
  if (draft === null) return decided;
  return { ...decided, invoice: { ...run.invoice, draft: { ...draft, items: asked.existing } } };
}
