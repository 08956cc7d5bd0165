import { lockOwningAccount, noSuchObject } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import { type CallContext, InvoiceStatus, ObjectType } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { checkedNote } from '../invoices/invoice-note.ts';
import type { InvoiceNoteRequest } from '../invoices/requests.ts';

/** Notes on drafts (§14 rule 10). */
export function noteOperations({ storage }: Pick<Ports, 'storage'>) {
  return {
    setNote: async (context: CallContext, request: InvoiceNoteRequest): Promise<void> => {
      const { invoiceId } = request;
      const note = checkedNote(request.note);
      const object = { type: ObjectType.INVOICE, id: invoiceId };
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        await lockOwningAccount(session, object);
        const [invoice] = await session.invoices.findByIds([invoiceId]);
        if (invoice === undefined) throw noSuchObject(object);
        const { status } = invoice;
        if (status !== InvoiceStatus.DRAFT) {
          const message = `Invoice ${invoiceId} is ${status}: only the note of a DRAFT can change`;
          throw billingError(ErrorCode.INVOICE_INVALID_STATUS, message, { invoiceId, status });
        }
        if (invoice.note !== note) await session.invoices.setStanding([{ ...invoice, note }]);
      });
    },
  };
}
