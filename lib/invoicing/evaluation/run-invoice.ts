import {
  type Account,
  type CursorToSave,
  type Invoice,
  type InvoiceItem,
  InvoiceStatus,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import {
  applyAccountCredit,
  type CountedAccount,
  type LoadedCreditInput,
  repairsAmong,
  UNNUMBERED,
} from '../credit/apply-credit.ts';
import {
  type CreditedInvoices,
  creditInvoices,
  creditItem,
  NOTHING_CREDITED,
  stateAfterMoves,
} from '../credit/changed-invoice.ts';
import { accountBalancesAfter, invoiceAmounts } from '../invoices/invoice-amounts.ts';
import { type Draft, emptyInvoice, itemOf, payerOf, raisedTargetDate } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { type AccountBilling, type AccountRun, accountedInvoice } from './evaluate-account.ts';

export interface EvaluatedRun {
  readonly billing: Pick<AccountBilling, 'account' | 'targetDate' | 'newBillCycleDay' | 'skipped'>;
  readonly run: AccountRun;
  readonly cursors: readonly CursorToSave[];
  /** Id of the invoice that gets the items of the run. */
  readonly invoiceId: Uuid;
}

export interface CreditedRun extends EvaluatedRun {
  readonly credited: CreditedInvoices;
}

export function hasItems({ run }: EvaluatedRun): boolean {
  return run.items.length > 0;
}

interface RunToRecord {
  readonly account: Account;
  readonly targetDate: LocalDate;
  readonly run: AccountRun;
  readonly now: Instant;
}

/**
 * Returns the new invoice of a run that has items. Its date is in the account's time zone (§1.1), and it has no number
 * yet.
 */
export function newInvoice({ id, account, targetDate, run, now }: RunToRecord & { readonly id: Uuid }) {
  const { status } = run.invoice;
  const { note = null } = run;
  const invoice = { ...emptyInvoice({ id, account, targetDate, status, now }), note, ...run.amounts };
  return { invoice, items: run.items.map((item) => itemOf(invoice, item, now)) };
}

/** Returns the draft after the items of the run were added. Its status is COMMITTED if the run commits it (§8.3). */
export function reusedDraft({ invoice: before }: Draft, { account, targetDate, run, now }: RunToRecord) {
  const { status } = run.invoice;
  const invoice = {
    ...before,
    note: run.note === undefined ? before.note : run.note,
    ...run.amounts,
    status,
    ...payerOf(account, status),
    commitDate: status === InvoiceStatus.COMMITTED ? localDateOf(now, account.timeZone) : null,
    issuedDate: status === InvoiceStatus.COMMITTED ? now : null,
    targetDate: raisedTargetDate(before, targetDate),
  };
  return { invoice, items: run.items.map((item) => itemOf(invoice, item, now)) };
}

export function countedRun(run: AccountRun, id: Uuid, invoiceDate: LocalDate): CountedAccount {
  const { draft, status } = run.invoice;
  const candidate = {
    ...accountedInvoice(run.invoice, run.amounts),
    id,
    invoiceDate: draft?.invoice.invoiceDate ?? invoiceDate,
    invoiceNumber: draft?.invoice.invoiceNumber ?? UNNUMBERED,
    repairs: status === 'COMMITTED' ? repairsAmong([...(draft?.items ?? []), ...run.items]) : [],
  };
  return { state: run.state, candidates: [candidate] };
}

/**
 * Applies the account's credit to the invoice of the run and to the account's unpaid invoices (§10).
 * @param today local date of the account.
 * @param touched stored invoices that also receive items and are therefore candidates. Defaults to none.
 * @throws InvariantError if the result violates §10 rule 6.
 */
export function creditRun(
  run: AccountRun,
  input: LoadedCreditInput,
  {
    today,
    nextItemId,
    touched = [],
  }: {
    readonly today: LocalDate;
    readonly nextItemId: () => Uuid;
    readonly touched?: readonly Invoice[];
  },
): Pick<CreditedRun, 'run' | 'credited'> {
  const moves = applyAccountCredit(input);
  if (moves.length === 0) return { run, credited: NOTHING_CREDITED };
  const own = new Set(input.candidates.map(({ id }) => id));
  for (const { id } of touched) own.delete(id);
  const stored = [...input.unpaid, ...touched];
  const credits = moves
    .filter(({ invoiceId }) => own.has(invoiceId))
    .map((move) => creditItem(nextItemId(), move, today));
  const others = moves.filter(({ invoiceId }) => !own.has(invoiceId));
  const after = withRunItems(run, [...run.items, ...credits]);
  const credited = creditInvoices(stored, others, { today, nextItemId });
  return { run: { ...after, state: stateAfterMoves(after.state, stored, others) }, credited };
}

/**
 * Returns the run with these items on its invoice, and with the resulting amounts and balances. `existing` contains the
 * items of a reused draft.
 */
export function withRunItems(
  run: AccountRun,
  items: readonly NewInvoiceItem[],
  existing: readonly InvoiceItem[] = run.invoice.draft?.items ?? [],
): AccountRun {
  const amounts = invoiceAmounts([...existing, ...items]);
  const before = accountedInvoice(run.invoice, run.amounts);
  const after = accountedInvoice(run.invoice, amounts);
  return { ...run, items, amounts, state: accountBalancesAfter(run.state, { before, after }) };
}
