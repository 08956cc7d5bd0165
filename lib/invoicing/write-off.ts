import type { Uuid } from '../ids/index.ts';
import { noSuchObject } from '../objects/no-such-object.ts';
import { ObjectType } from '../objects/object-type.ts';
import type { IdGenerator } from '../ports/identity.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import { changeInvoices } from './change-invoices.ts';

/**
 * Writes the invoice off, or makes it count again: its balance is 0 then and leaves that of its account, whose lock the
 * caller holds (invoicing.md §9 rule 8). One that counts again is offered the account's credit.
 * @throws BillingError INVOICE_NOT_FOUND (4006).
 */
export async function setWrittenOff(
  session: WriteSession,
  { invoiceId, isWrittenOff }: { readonly invoiceId: Uuid; readonly isWrittenOff: boolean },
  ids: IdGenerator,
): Promise<void> {
  const [before] = await session.invoices.findByIds([invoiceId]);
  if (!before) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
  const after = { ...before, isWrittenOff };
  await session.invoices.setWrittenOff([after]);
  await changeInvoices(session, { changes: [{ before, after, isAdjusted: true }] }, ids);
}
