import type { Uuid } from '../ids/index.ts';
import { noSuchObject } from '../objects/no-such-object.ts';
import { ObjectType } from '../objects/object-type.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import { BusEventType } from '../queue/model.ts';
import { accountBalancesAfter } from './invoice-amounts.ts';

/**
 * Writes the invoice off, or makes it count again: its balance is 0 then and leaves that of its account, whose lock the
 * caller holds (invoicing.md §9 rule 8).
 * @throws BillingError INVOICE_NOT_FOUND (4006).
 */
export async function setWrittenOff(
  session: WriteSession,
  invoiceId: Uuid,
  isWrittenOff: boolean,
): Promise<void> {
  const [before] = await session.invoices.findByIds([invoiceId]);
  if (!before) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
  const after = { ...before, isWrittenOff };
  await session.invoices.setWrittenOff([after]);
  const states = await session.invoices.loadStates([before.accountId]);
  await session.invoices.saveStates(states.map((state) => accountBalancesAfter(state, { before, after })));
  session.publish([
    {
      type: BusEventType.INVOICE_ADJUSTMENT,
      accountRecordId: before.accountRecordId,
      payload: { accountId: before.accountId, invoiceId, metaData: null },
    },
  ]);
}
