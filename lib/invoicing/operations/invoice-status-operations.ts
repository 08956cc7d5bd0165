import { loadAccount, lockOwningAccount, noSuchObject } from '../../accounts/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type CallContext,
  type Invoice,
  InvoiceStatus,
  ObjectType,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { ConsultedOperations, InvoiceOperation, Planning } from '../plugins/consult-about-operations.ts';
import { commitDrafts, voidInvoice } from '../saving/commit-and-void.ts';

export function invoiceStatusOperations(operations: ConsultedOperations) {
  return {
    commit: (context: CallContext, invoiceId: Uuid): Promise<void> =>
      operations.run(context, {
        ...onInvoice(invoiceId),
        name: 'commit',
        plan: async (session, subject, planning) => {
          if (subject.invoice.status !== InvoiceStatus.DRAFT) throw wrongStatus(subject.invoice, 'committed');
          return planOf(session, subject, planning);
        },
        apply: (session, { account, invoice }, { ids }) => commitDrafts(session, [{ account, invoice }], ids),
      }),

    void: (context: CallContext, invoiceId: Uuid): Promise<void> =>
      operations.run(context, {
        ...onInvoice(invoiceId),
        name: 'void',
        plan: async (session, subject, planning) => {
          if (subject.invoice.status === InvoiceStatus.VOID) throw wrongStatus(subject.invoice, 'voided');
          return planOf(session, subject, { ...planning, isConsulted: true });
        },
        apply: (session, { account, invoice, items }, { ids }) =>
          voidInvoice(session, { account, invoice, items }, ids),
      }),
  };
}

interface OwnedInvoice {
  readonly account: Account;
  readonly invoice: Invoice;
}

type FindsInvoice = Pick<InvoiceOperation<OwnedInvoice, never, void>, 'takesItems' | 'find' | 'lock'>;

/** Returns a function that finds the invoice, with or without the lock of its account. */
function onInvoice(id: Uuid): FindsInvoice {
  const object = { type: ObjectType.INVOICE, id };
  const find = async (session: ReadSession): Promise<Invoice> => {
    const [invoice] = await session.invoices.findByIds([id]);
    if (!invoice) throw noSuchObject(object);
    return invoice;
  };
  return {
    takesItems: false,
    find: async (session) => {
      const invoice = await find(session);
      return { account: await loadAccount(session, invoice.accountId), invoice };
    },
    lock: async (session) => {
      const account = await lockOwningAccount(session, object);
      return { account, invoice: await find(session) };
    },
  };
}

async function planOf(session: ReadSession, { account, invoice }: OwnedInvoice, { isConsulted }: Planning) {
  const items = isConsulted ? await session.invoices.findItems([invoice.id]) : [];
  const invoices = [{ before: invoice, invoice, existing: items, newItems: [] }];
  return { accounts: [account], account, invoice, items, invoices };
}

function wrongStatus({ id, status }: Invoice, done: string): BillingError {
  const message = `Invoice ${id} is ${status} and cannot be ${done}`;
  return billingError(ErrorCode.INVOICE_INVALID_STATUS, message, { invoiceId: id, status });
}
