import { loadAccount, lockAccount, noSuchAccount } from '../../accounts/index.ts';
import type { IdGenerator, Ports } from '../../ports/index.ts';
import { ConcurrentChangeError, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import type { Account, WithContext } from '../../records/index.ts';
import { type CallContext, InvoiceItemType, InvoiceStatus } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import type { ConsultedOperations } from '../consulting/consulted-operations.ts';
import { checkCurrency } from '../invoices/manual-items.ts';
import { emptyInvoice, invoicingCurrency } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { plainItem } from '../invoices/new-item.ts';
import type { AccountCreditOperations } from '../operations/account-credit-operations.ts';
import { changeInvoices } from './change-invoices.ts';

/** Account credit on request (§9 rule 9, §12 rule 9). */
export class AccountCreditService implements AccountCreditOperations<WithContext> {
  readonly #ports: Pick<Ports, 'ids'>;
  readonly #operations: ConsultedOperations;

  constructor(ports: Pick<Ports, 'ids'>, operations: ConsultedOperations) {
    this.#ports = ports;
    this.#operations = operations;
  }

  async rebalanceCredit(context: CallContext, accountId: Uuid): Promise<void> {
    await this.#operations.run(context, {
      takesItems: false,
      find: (session) => loadAccount(session, accountId),
      lock: (session) => lockAccount(session, accountId),
      plan: async (_session, account) => ({ accounts: [account], invoices: [] }),
      apply: async (session, { accounts }) => {
        await changeInvoices(session, { changes: [], accounts }, this.#ports.ids);
      },
    });
  }

  async transferCreditToParent(context: CallContext, childAccountId: Uuid): Promise<void> {
    await this.#operations.run(context, {
      // What the one gets is what the other gives.
      takesItems: false,
      find: (session) => findPair(session, childAccountId),
      lock: (session) => lockPair(session, childAccountId),
      plan: (session, pair, { ids }) => planTransfer(session, pair, { context, ids }),
      apply: async (session, { accounts }, { changes, numbers }) => {
        await changeInvoices(session, { changes, accounts, numbers }, this.#ports.ids);
      },
    });
  }
}

interface Pair {
  readonly child: Account;
  readonly parent: Account;
}

async function planTransfer(
  session: ReadSession,
  { child, parent }: Pair,
  { context, ids }: { readonly context: CallContext; readonly ids: IdGenerator },
) {
  const [state] = await session.invoices.loadStates([child.id]);
  const credit = state?.accountCBA ?? ZERO;
  if (!credit.greaterThan(0)) throw noCredit(child);
  checkCurrency(invoicingCurrency(parent), invoicingCurrency(child));
  const invoiceOf = (account: Account) =>
    emptyInvoice({
      id: ids.next(),
      account,
      targetDate: localDateOf(context.createdDate, account.timeZone),
      status: InvoiceStatus.COMMITTED,
      now: context.createdDate,
    });
  const given = invoiceOf(parent);
  const taken = {
    ...invoiceOf(child),
    parentInvoiceId: given.id,
    parentAccountId: parent.id,
    contributedAmount: null,
  };
  const charge = transferCharge(ids.next(), child, { credit, context });
  const gift = transferCredit(ids.next(), { child, parent }, { credit, context });
  return {
    accounts: [child, parent],
    invoices: [
      { before: null, invoice: taken, existing: [], newItems: [charge] },
      { before: null, invoice: given, existing: [], newItems: [gift] },
    ],
  };
}

/** @throws BillingError 3002, ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT. */
async function findPair(session: ReadSession, childId: Uuid): Promise<Pair> {
  const child = await loadAccount(session, childId);
  if (child.parentAccountId === null) throw noParent(child);
  return { child, parent: await loadAccount(session, child.parentAccountId) };
}

/**
 * The two accounts under their locks, which are taken in the order of record ids (ruling R32).
 * @throws BillingError 3002, ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT, BUSY (60018); ConcurrentChangeError, which runs the
 * operation again.
 */
async function lockPair(session: WriteSession, childId: Uuid): Promise<Pair> {
  const before = await loadAccount(session, childId);
  if (before.parentAccountId === null) throw noParent(before);
  const locked = await session.lockAccounts([childId, before.parentAccountId]);
  const child = locked.find(({ id }) => id === childId);
  const parent = locked.find(({ id }) => id === before.parentAccountId);
  if (!child) throw noSuchAccount(childId);
  // While this call waited, the child may have got another parent, whose lock is not held.
  if (!parent || child.parentAccountId !== parent.id) throw movedMeanwhile(child);
  return { child, parent };
}

interface Transfer {
  readonly credit: Decimal;
  readonly context: CallContext;
}

function transferCharge(id: Uuid, child: Account, { credit, context }: Transfer): NewInvoiceItem {
  const today = localDateOf(context.createdDate, child.timeZone);
  return plainItem({
    id,
    itemType: InvoiceItemType.EXTERNAL_CHARGE,
    description: 'Charge to move credit from child to parent account',
    startDate: today,
    endDate: today,
    amount: credit,
    repairable: credit,
  });
}

function transferCredit(id: Uuid, { child, parent }: Pair, { credit, context }: Transfer): NewInvoiceItem {
  const today = localDateOf(context.createdDate, parent.timeZone);
  return plainItem({
    id,
    itemType: InvoiceItemType.CREDIT_ADJ,
    description: `Credit migrated from child account ${child.id}`,
    startDate: today,
    endDate: today,
    amount: credit.negated(),
    repairable: ZERO,
  });
}

/** The message is fixed (http-api §12), and so is the next one. */
function noParent({ id }: Account): BillingError {
  return new BillingError({
    code: ErrorCode.ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT,
    message: `The Account ${id} does not have a Parent Account associated`,
    facts: { accountId: id },
  });
}

function noCredit({ id }: Account): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_CHILD_ACCOUNT_MISSING_CREDIT,
    message: `Child account ${id} does not have credit`,
    facts: { accountId: id },
  });
}

function movedMeanwhile({ id }: Account): ConcurrentChangeError {
  return new ConcurrentChangeError(`Another operation gave account ${id} another parent in between`, {
    accountId: id,
  });
}
