import { noSuchObject } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import { type CallContext, type EInvoiceDelivery, ObjectType } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { attemptEntry, attemptKey } from '../e-invoices/delivery-attempt.ts';

/** Creates the operations that list e-invoice deliveries and send e-invoices again (§22 rule 9). */
export function eInvoiceDeliveryOperations({
  storage,
  eInvoiceSender,
}: Pick<Ports, 'storage' | 'eInvoiceSender'>) {
  return {
    eInvoiceDeliveries: ({ tenant }: CallContext, invoiceId: Uuid): Promise<readonly EInvoiceDelivery[]> =>
      storage.read(tenant, async (session) => {
        const [invoice] = await session.invoices.findByIds([invoiceId]);
        if (invoice === undefined) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
        return session.eInvoiceDeliveries.ofInvoice(invoiceId);
      }),

    resendEInvoice: async (context: CallContext, deliveryId: Uuid): Promise<EInvoiceDelivery> => {
      if (eInvoiceSender === undefined)
        throw billingError(
          ErrorCode.NOT_IMPLEMENTED,
          'E-invoices are sent by a sender: open the engine with eInvoiceSender',
        );
      return storage.write(context.tenant, authorshipOf(context), async (session) => {
        const [found] = await session.eInvoiceDeliveries.findByIds([deliveryId]);
        if (found === undefined)
          throw billingError(ErrorCode.OBJECT_NOT_FOUND, `E-invoice delivery ${deliveryId} does not exist`, {
            deliveryId,
          });
        const again: EInvoiceDelivery = {
          ...found,
          state: 'PENDING',
          failures: 0,
          nextAttemptDate: context.createdDate,
        };
        await session.eInvoiceDeliveries.update([again]);
        await session.unschedule([attemptKey(again)]);
        session.schedule([attemptEntry(again, context.createdDate)]);
        return again;
      });
    },
  };
}
