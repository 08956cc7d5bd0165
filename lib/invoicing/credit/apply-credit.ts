import {
  type AccountInvoicingState,
  type CreditBasis,
  type Invoice,
  InvoiceItemType,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum, ZERO } from '../../values/money/index.ts';
import { balanceOf, isUnpaid } from '../invoices/invoice-amounts.ts';
import { parentBalanceOf } from '../invoices/parent-summary.ts';
import { type CreditingItem, creditingItems } from './credit-notes.ts';

export type CreditedInvoice = Pick<
  Invoice,
  'id' | 'status' | 'isMigration' | 'isWrittenOff' | 'rawBalance' | 'invoiceDate' | 'invoiceNumber'
> &
  Partial<Pick<Invoice, 'parentInvoiceId' | 'contributedAmount' | 'creditAdj'>> & {
    /**
     * Repairs on the invoice. Set only if this transaction commits the invoice, so that the repairs take effect now.
     */
    readonly repairs?: readonly BroughtRepair[];
  };

/** The number that sorts an unnumbered invoice as the newest invoice of its day. */
export const UNNUMBERED = Number.MAX_SAFE_INTEGER;

export interface AccountCreditInput {
  /** The account's credit, including the credit on the candidates. */
  readonly credit: Decimal;
  /** The invoices that the transaction has changed, in order and with the changes applied. */
  readonly candidates: readonly CreditedInvoice[];
  /** The account's unpaid invoices. Candidates among them are skipped. Needed only if `spendsCredit` is true. */
  readonly unpaid: readonly CreditedInvoice[];
  /** Invoices with a payment in flight. They get no credit. */
  readonly withheld: ReadonlySet<Uuid>;
  /** Balances that replace the raw balances of invoices whose summary the parent account owes or has paid (rule 5). */
  readonly standIns?: ReadonlyMap<Uuid, Decimal>;
  /** Debts that repairs reduce and that the parent has not paid (rule 8). Empty by default. */
  readonly repaired?: readonly RepairedDebt[];
}

/**
 * One CBA_ADJ item. A positive amount is credit generated from a negative balance; a negative amount is credit used
 * on the invoice.
 */
export interface CreditMove {
  readonly invoiceId: Uuid;
  readonly amount: Decimal;
  readonly basis: CreditBasis;
}

/** Returns true if the account has or will have credit to spend, so that its other unpaid invoices matter. */
export function spendsCredit(input: Omit<AccountCreditInput, 'unpaid' | 'withheld'>): boolean {
  const { credit, candidates } = input;
  return (
    credit.greaterThan(0) ||
    candidates.some((each) => each.status === 'COMMITTED' && owesCustomer(applyStandIn(each, input)))
  );
}

/**
 * Returns the CBA_ADJ items that complete a transaction (§10 rules 1–3, 8). First, repaired debts that parents have
 * not paid are lowered. Then each candidate in order generates or uses credit. Then unpaid invoices use the rest,
 * sorted by date and number. A DRAFT can generate credit, which is available from its commit, but never uses credit.
 * @throws InvariantError if the result violates rule 6.
 */
export function applyAccountCredit(input: AccountCreditInput): readonly CreditMove[] {
  const { candidates, withheld } = input;
  const moves = [...movesToDebts(input)];
  const left = balancesAfter(moves, input);
  let credit = input.credit.plus(sum(moves.map(({ amount }) => amount)));
  const offered = creditOrder(candidates, input.unpaid).map((invoice) => applyStandIn(invoice, input));
  for (const invoice of offered) {
    const balance = left.get(invoice.id) ?? invoice.rawBalance;
    const offer = withheld.has(invoice.id) ? ZERO : credit;
    const amount = moveOf({ ...invoice, rawBalance: balance }, offer);
    if (amount.isZero()) continue;
    moves.push({ invoiceId: invoice.id, amount, basis: { kind: 'CREDIT', balance, credit: offer } });
    left.set(invoice.id, balance.plus(amount));
    if (invoice.status === 'COMMITTED') credit = credit.plus(amount);
  }
  checkLaw(credit, offered, (invoice) => withheld.has(invoice.id) || left.get(invoice.id)?.isZero() === true);
  return moves;
}

/**
 * Returns the credit moves that lower each repaired debt, and the moves that offset these reductions on the repairing
 * invoices. Credit that the repairing invoice generated as a DRAFT reduces the offset (rule 8).
 */
function movesToDebts({ credit, candidates, repaired = [] }: AccountCreditInput): readonly CreditMove[] {
  const given = new Map(candidates.map(({ id, creditAdj = ZERO }) => [id, creditAdj]));
  return [...Map.groupBy(repaired, ({ by }) => by)].flatMap(([by, debts]) => {
    const made = sum(debts.map(({ amount }) => amount)).minus(given.get(by) ?? ZERO);
    const lowered = debts.map(({ invoiceId, balance, amount }): CreditMove => {
      const basis = { kind: 'CREDIT', balance, credit: amount } as const;
      return { invoiceId, amount: amount.negated(), basis };
    });
    if (!made.greaterThan(0)) return lowered;
    const basis = { kind: 'CREDIT', balance: made.negated(), credit } as const;
    return [{ invoiceId: by, amount: made, basis }, ...lowered];
  });
}

/** Returns the balances of the invoices after the credit moves. Credit moves do not change replacement balances. */
function balancesAfter(moves: readonly CreditMove[], { candidates, unpaid, standIns }: AccountCreditInput) {
  const moved = Map.groupBy(moves, ({ invoiceId }) => invoiceId);
  const left = new Map<Uuid, Decimal>();
  for (const { id, rawBalance } of [...unpaid, ...candidates]) {
    const own = moved.get(id);
    if (own === undefined || standIns?.has(id) === true) continue;
    left.set(id, rawBalance.plus(sum(own.map(({ amount }) => amount))));
  }
  return left;
}

function applyStandIn(invoice: CreditedInvoice, { standIns }: Pick<AccountCreditInput, 'standIns'>) {
  const rawBalance = standIns?.get(invoice.id);
  return rawBalance === undefined ? invoice : { ...invoice, rawBalance };
}

/** Returns the credit move of one invoice (rule 2). 0 means that the invoice gets no item. */
function moveOf(invoice: CreditedInvoice, credit: Decimal): Decimal {
  if (owesCustomer(invoice)) return invoice.rawBalance.negated();
  if (!isUnpaid(invoice) || !credit.greaterThan(0)) return ZERO;
  return (credit.lessThan(invoice.rawBalance) ? credit : invoice.rawBalance).negated();
}

/**
 * Returns true if the invoice has a negative balance that becomes credit. Migrated invoices never generate credit,
 * because they are not part of any balance.
 */
function owesCustomer({ status, isMigration, rawBalance }: CreditedInvoice): boolean {
  return status !== 'VOID' && !isMigration && rawBalance.isNegative() && !rawBalance.isZero();
}

/**
 * Checks that credit is never below 0, and that no invoice that could use credit stays unpaid while credit remains
 * (rule 6).
 */
function checkLaw(
  credit: Decimal,
  offered: readonly CreditedInvoice[],
  isSettled: (invoice: CreditedInvoice) => boolean,
): void {
  assertInvariant(credit.greaterThanOrEqualTo(0), `Account credit is below 0: ${credit.toFixed()}`);
  if (credit.isZero()) return;
  const unpaid = offered.filter((invoice) => isUnpaid(invoice) && !isSettled(invoice));
  assertInvariant(unpaid.length === 0, 'Account credit is left while invoices are unpaid', {
    invoiceIds: unpaid.map(({ id }) => id),
  });
}

/** An account after a transaction has changed its invoices, but before the resulting credit moves. */
export interface CountedAccount {
  readonly state: AccountInvoicingState;
  readonly candidates: readonly CreditedInvoice[];
}

export interface LoadedCreditInput extends AccountCreditInput {
  readonly unpaid: readonly Invoice[];
}

type Summaries = ReadonlyMap<Uuid, Invoice>;
type Dated = Pick<Invoice, 'id' | 'invoiceDate' | 'invoiceNumber'>;

/** Compares invoices in payment order: by date, then number. Credit and payments use this order. */
function byAge(a: Dated, b: Dated): number {
  return a.invoiceDate - b.invoiceDate || a.invoiceNumber - b.invoiceNumber;
}

/**
 * Returns an account's invoices in the order of credit moves (§10 rule 3): first the changed invoices, then all
 * unpaid invoices by age, each once.
 */
function creditOrder<I extends Dated>(candidates: readonly I[], unpaid: readonly I[]): readonly I[] {
  const known = new Set(candidates.map(({ id }) => id));
  const others = unpaid.filter(({ id }) => !known.has(id));
  return [...candidates, ...[...candidates, ...others].sort(byAge)];
}

/**
 * Returns the invoices that can get account credit, by age (§10 rule 5). Invoices in a committed summary cannot get
 * credit.
 */
export function creditableInvoices(open: readonly Invoice[], summaries: Summaries): readonly Invoice[] {
  const isFree = ({ parentInvoiceId }: Invoice): boolean =>
    parentInvoiceId === null || (summaries.get(parentInvoiceId)?.status ?? 'DRAFT') === 'DRAFT';
  return open.filter((invoice) => isUnpaid(invoice) && isFree(invoice)).sort(byAge);
}

/**
 * Returns the unpaid invoices by age (§1.4 rule 9). An invoice that a parent pays is included if its summary is
 * unpaid.
 */
export function unpaidInvoices(open: readonly Invoice[], summaries: Summaries): readonly Invoice[] {
  return open.filter((invoice) => isPayable(invoice, summaries)).sort(byAge);
}

export function isPayable(invoice: Invoice, summaries: Summaries): boolean {
  const parentBalance = parentBalanceOf(invoice, summaries);
  return balanceOf(invoice).greaterThan(0) && (parentBalance === null || parentBalance.greaterThan(0));
}

/** A reduction that one invoice makes to an item of the same or another invoice. */
interface BroughtRepair {
  readonly itemId: Uuid;
  /** The amount of the reduction, above 0. */
  readonly amount: Decimal;
}

/** An amount by which an invoice lowers a debt that a parent has not paid (§10 rule 8). */
interface RepairedDebt {
  readonly by: Uuid;
  readonly invoiceId: Uuid;
  readonly balance: Decimal;
  /** The amount by which the debt is lowered, above 0 and at most the balance of the debt. */
  readonly amount: Decimal;
}

type Repairing = Pick<Invoice, 'id' | 'rawBalance'> & { readonly repairs?: readonly BroughtRepair[] };

/** Returns the repairs of an invoice with their taxes. */
export function repairsAmong(items: readonly CreditingItem[]): readonly BroughtRepair[] {
  return creditingItems(items).flatMap(({ itemType, linkedItemId: itemId, amount }) => {
    if (itemType === InvoiceItemType.ITEM_ADJ || itemId === null || amount.isZero()) return [];
    return [{ itemId, amount: amount.negated() }];
  });
}

/**
 * Returns, in order, the amounts by which the candidates' repairs reduce debts that parents have not paid. An amount
 * never exceeds the unpaid rest of the debt, because credit that the child used on the debt returns to the child.
 * @param debtOf Maps the id of a repaired item to the invoice with the debt.
 */
export function repairedDebts(
  candidates: readonly Repairing[],
  debtOf: ReadonlyMap<Uuid, Pick<Invoice, 'id' | 'rawBalance'>>,
): readonly RepairedDebt[] {
  if (debtOf.size === 0) return [];
  const left = new Map(candidates.map(({ id, rawBalance }) => [id, rawBalance]));
  return candidates.flatMap(({ id: by, repairs = [] }) => {
    const repairsOf = Map.groupBy(repairs, ({ itemId }) => debtOf.get(itemId));
    return [...repairsOf].flatMap(([debt, own]) => {
      if (debt === undefined || debt.id === by) return [];
      const balance = left.get(debt.id) ?? debt.rawBalance;
      const repaired = sum(own.map(({ amount }) => amount));
      const amount = repaired.lessThan(balance) ? repaired : balance;
      if (!amount.greaterThan(0)) return [];
      left.set(debt.id, balance.minus(amount));
      return [{ by, invoiceId: debt.id, balance, amount }];
    });
  });
}
