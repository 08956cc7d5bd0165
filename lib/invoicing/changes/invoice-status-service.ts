import { lockOwningAccount, noSuchObject } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { type CallContext, type Invoice, InvoiceStatus, ObjectType } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { commitDrafts } from './commit-drafts.ts';
import { voidInvoice } from './void-invoice.ts';

/** What people do with a whole invoice (§3). */
export class InvoiceStatusService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>) {
    this.#ports = ports;
  }

  async commit(context: CallContext, invoiceId: Uuid): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const { account, invoice } = await lockInvoice(session, invoiceId);
      if (invoice.status !== InvoiceStatus.DRAFT) throw wrongStatus(invoice, 'committed');
      await commitDrafts(session, [{ account, invoice }], this.#ports.ids);
    });
  }

  async void(context: CallContext, invoiceId: Uuid): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const { account, invoice } = await lockInvoice(session, invoiceId);
      if (invoice.status === InvoiceStatus.VOID) throw wrongStatus(invoice, 'voided');
      const items = await session.invoices.findItems([invoiceId]);
      await voidInvoice(session, { account, invoice, items }, this.#ports.ids);
    });
  }
}

/** The invoice as it is under the lock of its account. */
async function lockInvoice(session: WriteSession, id: Uuid) {
  const object = { type: ObjectType.INVOICE, id };
  const account = await lockOwningAccount(session, object);
  const [invoice] = await session.invoices.findByIds([id]);
  if (!invoice) throw noSuchObject(object);
  return { account, invoice };
}

function wrongStatus({ id, status }: Invoice, done: string): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_INVALID_STATUS,
    message: `Invoice ${id} is ${status} and cannot be ${done}`,
    facts: { invoiceId: id, status },
  });
}
