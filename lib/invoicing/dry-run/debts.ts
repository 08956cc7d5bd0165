import { isPaidByParent } from '../../accounts/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account, AccountInvoicingState, Invoice } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { addDays, type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import { repairedDebts } from '../credit/apply-credit.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import { countedRun, creditRun } from '../evaluation/run-invoice.ts';
import { accountBalancesAfter, amountsAfterItems, isUnpaid } from '../invoices/invoice-amounts.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { parentCommitTime } from '../invoices/parent-summary.ts';
import {
  invoicesBeingPaid,
  loadCreditableInvoices,
  loadParentInvoices,
  loadRepairedDebts,
} from '../loading/load-credit-inputs.ts';
import type { InvoicingConfig } from '../proposals/invoicing-config.ts';

/** The debts that an account's credit pays over time. */
export interface Debts {
  readonly unpaid: readonly Invoice[];
  /** Invoices with a payment in flight, by id. */
  readonly withheld: ReadonlySet<Uuid>;
  /** For each linked invoice, the last day on which its summary is open. */
  readonly openUntil: ReadonlyMap<Uuid, LocalDate>;
  /** The unpaid invoice for each repairable item that a parent has to pay (§10 rule 8). */
  readonly debtOf: ReadonlyMap<Uuid, Invoice>;
  /** The template of a new invoice, or null if the account's invoices are paid automatically. */
  readonly unpaidInvoice: Invoice | null;
}

export const NO_DEBTS: Debts = {
  unpaid: [],
  withheld: new Set(),
  openUntil: new Map(),
  debtOf: new Map(),
  unpaidInvoice: null,
};

export interface MadeOfStep {
  readonly run: AccountRun;
  /** Further stored invoices that get items. */
  readonly elsewhere: readonly ChangedInvoice[];
  /** New balances of invoices that the parent owes or has paid (§10 rule 5). */
  readonly standIns: ReadonlyMap<Uuid, Decimal>;
}

export interface DebtsInput {
  readonly account: Account;
  readonly state: AccountInvoicingState;
  readonly itemIds: readonly Uuid[];
}

type LoadedDebts = Omit<Debts, 'unpaidInvoice'>;

/**
 * Loads the debts of these accounts. For an account that pays its own invoices and has no item that a parent pays,
 * the account's state shows whether it has debts.
 */
export async function loadDebts(
  session: ReadSession,
  inputs: readonly DebtsInput[],
  config: Pick<InvoicingConfig, 'parentCommitTimeOfDay'>,
): Promise<(input: DebtsInput) => LoadedDebts> {
  const itemIds = inputs.flatMap((input) => input.itemIds);
  const debts = await loadRepairedDebts(session, itemIds);
  const mayOwe = ({ account, state, itemIds: own }: DebtsInput): boolean =>
    state.accountBalance.plus(state.accountCBA).greaterThan(0) ||
    isPaidByParent(account) ||
    own.some((id) => debts.has(id));
  const owing = new Set(inputs.filter(mayOwe).map(({ account }) => account.id));
  if (owing.size === 0) return () => NO_DEBTS;
  const found = await loadCreditableInvoices(session, [...owing]);
  const foundIds = found.map(({ id }) => id);
  const withheld = await invoicesBeingPaid(session, foundIds);
  const summaries = await loadParentInvoices(session, found);
  const unpaidOf = Map.groupBy(found, ({ accountId }) => accountId);
  return ({ account, itemIds: own }) => {
    if (!owing.has(account.id)) return NO_DEBTS;
    const unpaid = unpaidOf.get(account.id) ?? [];
    const openUntil = unpaid.flatMap(({ id, parentInvoiceId }) => {
      const summary = parentInvoiceId === null ? undefined : summaries.get(parentInvoiceId);
      if (summary === undefined) return [];
      const commit = parentCommitTime(summary.createdDate, config.parentCommitTimeOfDay);
      return [[id, lastRunBefore(commit, account)] as const];
    });
    const debtOf = new Map(
      own.flatMap((id) => {
        const debt = debts.get(id);
        return debt === undefined ? [] : [[id, debt] as const];
      }),
    );
    return { unpaid, withheld, openUntil: new Map(openUntil), debtOf };
  };
}

/** Returns the date of the latest run before an instant. The runs of a day begin at the reference time. */
function lastRunBefore(at: Instant, account: Account): LocalDate {
  const day = localDateOf(at, account.timeZone);
  return atReferenceTime(day, account).at < at ? day : addDays(day, -1);
}

/**
 * The debts that credit pays during the walk. Once credit has been applied to an invoice of the walk, the invoice is
 * treated as paid if the account's invoices are paid automatically.
 */
export class RunningDebts {
  #unpaid: readonly Invoice[];
  #debtOf: Debts['debtOf'];
  readonly #debts: Debts;

  constructor(debts: Debts) {
    this.#unpaid = debts.unpaid;
    this.#debtOf = debts.debtOf;
    this.#debts = debts;
  }

  credit(made: CreditedStep, nextItemId: () => Uuid): AccountRun {
    const { run, credited, touched } = this.#applyCredit(made, nextItemId);
    const after = new Map([...touched, ...credited.invoices].map((invoice) => [invoice.id, invoice]));
    const known = new Set(this.#unpaid.map(({ id }) => id));
    this.#unpaid = [
      ...this.#unpaid.map((invoice) => after.get(invoice.id) ?? invoice),
      ...touched
        .filter(({ id }) => !known.has(id) && !made.standIns.has(id))
        .map((invoice) => after.get(invoice.id) ?? invoice),
      ...this.#listUnpaidOfRun(run, made),
    ];
    this.#debtOf = new Map([...this.#debtOf].map(([id, debt]) => [id, after.get(debt.id) ?? debt]));
    return run;
  }

  #listUnpaidOfRun(
    { items, amounts, invoice: { status, draft } }: AccountRun,
    { invoiceId, date }: Pick<CreditedStep, 'invoiceId' | 'date'>,
  ): readonly Invoice[] {
    const { unpaidInvoice } = this.#debts;
    if (unpaidInvoice === null || items.length === 0) return [];
    const made = draft?.invoice ?? { ...unpaidInvoice, id: invoiceId, invoiceDate: date };
    const invoice = { ...made, ...amounts, status };
    return isUnpaid(invoice) ? [invoice] : [];
  }

  /** Returns the credit items of the step's invoice. */
  preview(
    { run: given, ...step }: Pick<CreditedStep, 'run' | 'invoiceId' | 'date'>,
    nextItemId: () => Uuid,
  ): readonly NewInvoiceItem[] {
    const { run } = this.#applyCredit({ ...step, ...unchangedStep(given) }, nextItemId);
    return run.items.slice(given.items.length);
  }

  #applyCredit({ run, invoiceId, date, elsewhere, standIns }: CreditedStep, nextItemId: () => Uuid) {
    const counted = countedRun(run, invoiceId, date);
    const changed = elsewhere.flatMap((change) => this.#applyChange(change));
    const touched = changed.map(({ after }) => after);
    const isTouched = new Set(touched.map(({ id }) => id));
    const state = changed.reduce(accountBalancesAfter, counted.state);
    const { withheld, openUntil } = this.#debts;
    // A committed summary is treated as paid, and its invoices receive no credit (§10 rule 5).
    const isOpen = ({ id }: Invoice): boolean => date <= (openUntil.get(id) ?? date);
    const offered = this.#unpaid.filter((invoice) => !isTouched.has(invoice.id) && isOpen(invoice));
    const candidates = [...counted.candidates, ...touched];
    const debtOf = new Map([...this.#debtOf].filter(([, debt]) => isOpen(debt)));
    const known = new Set([...candidates, ...offered].map(({ id }) => id));
    const closed = [...new Set(debtOf.values())].filter(({ id }) => !known.has(id));
    const input = {
      credit: state.accountCBA,
      candidates,
      unpaid: [...offered, ...closed],
      withheld,
      standIns: new Map([...standIns, ...closed.map(({ id }) => [id, ZERO] as const)]),
      repaired: repairedDebts(candidates, debtOf),
    };
    const credited = creditRun({ ...run, state }, input, { today: date, nextItemId, touched });
    return { ...credited, touched };
  }

  /** Returns a stored invoice of the walk, before and after its new items are added. */
  #applyChange({ before, newItems = [] }: ChangedInvoice) {
    if (before === null) return [];
    const known = this.#unpaid.find(({ id }) => id === before.id) ?? before;
    return [{ before: known, after: { ...known, ...amountsAfterItems(known, newItems) } }];
  }
}

/** A step to which account credit is applied. */
interface CreditedStep extends MadeOfStep {
  readonly invoiceId: Uuid;
  readonly date: LocalDate;
}

export function unchangedStep(run: AccountRun): MadeOfStep {
  return { run, elsewhere: [], standIns: new Map() };
}
