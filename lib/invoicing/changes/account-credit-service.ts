import { loadAccount, lockAccount, noSuchAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import { ConcurrentChangeError, type WriteSession } from '../../ports/storage/index.ts';
import type { Account, WithContext } from '../../records/index.ts';
import { type CallContext, InvoiceItemType, InvoiceStatus } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import { withItems } from '../credit/changed-invoice.ts';
import { checkCurrency } from '../invoices/manual-items.ts';
import { emptyInvoice, invoicingCurrency } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { plainItem } from '../invoices/new-item.ts';
import type { AccountCreditOperations } from '../operations/account-credit-operations.ts';
import { changeInvoices } from './change-invoices.ts';

/** Account credit on request (§9 rule 9, §12 rule 9). */
export class AccountCreditService implements AccountCreditOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>) {
    this.#ports = ports;
  }

  async rebalanceCredit(context: CallContext, accountId: Uuid): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, accountId);
      await changeInvoices(session, { changes: [], accounts: [account] }, this.#ports.ids);
    });
  }

  async transferCreditToParent(context: CallContext, childAccountId: Uuid): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const { child, parent } = await lockPair(session, childAccountId);
      const [state] = await session.invoices.loadStates([child.id]);
      const credit = state?.accountCBA ?? ZERO;
      if (!credit.greaterThan(0)) throw noCredit(child);
      checkCurrency(invoicingCurrency(parent), invoicingCurrency(child));
      const given = this.#invoice(parent, context);
      const taken = {
        ...this.#invoice(child, context),
        parentInvoiceId: given.id,
        parentAccountId: parent.id,
        contributedAmount: null,
      };
      const changes = [
        withItems(taken, [transferCharge(this.#ports.ids.next(), child, { credit, context })]),
        withItems(given, [transferCredit(this.#ports.ids.next(), { child, parent }, { credit, context })]),
      ];
      await changeInvoices(session, { changes, accounts: [child, parent] }, this.#ports.ids);
    });
  }

  #invoice(account: Account, { createdDate }: CallContext) {
    const targetDate = localDateOf(createdDate, account.timeZone);
    const id = this.#ports.ids.next();
    return emptyInvoice({ id, account, targetDate, status: InvoiceStatus.COMMITTED, now: createdDate });
  }
}

/**
 * The two accounts under their locks, which are taken in the order of record ids (ruling R32).
 * @throws BillingError 3002, ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT, BUSY (60018); ConcurrentChangeError, which runs the
 * operation again.
 */
async function lockPair(
  session: WriteSession,
  childId: Uuid,
): Promise<{ readonly child: Account; readonly parent: Account }> {
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

function transferCredit(
  id: Uuid,
  { child, parent }: { readonly child: Account; readonly parent: Account },
  { credit, context }: Transfer,
): NewInvoiceItem {
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
