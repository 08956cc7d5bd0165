import { noSuchObject } from '../../accounts/index.ts';
import { SystemTag } from '../../control-tags/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account, Invoice } from '../../records/index.ts';
import { ObjectType } from '../../records/index.ts';
import { addSystemTag } from '../../tags/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { loadUnpaidInvoices } from '../loading/load-open-invoices.ts';
import { changeInvoices } from './change-invoices.ts';

/**
 * Writes the invoice off, or makes it count again: its balance is 0 then and leaves that of its account, whose lock the
 * caller holds (§9 rule 8). One that counts again is offered the account's credit.
 * @throws BillingError INVOICE_NOT_FOUND (4006).
 */
export async function setWrittenOff(
  session: WriteSession,
  { invoiceId, isWrittenOff }: { readonly invoiceId: Uuid; readonly isWrittenOff: boolean },
  ids: IdGenerator,
): Promise<void> {
  const [before] = await session.invoices.findByIds([invoiceId]);
  if (!before) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
  await changeWrittenOff(session, { invoices: [before], isWrittenOff }, ids);
}

/** Writes off the unpaid invoices of a locked account, with the tag that says so (§9 rule 11). */
export async function writeOffUnpaid(
  session: WriteSession,
  account: Account,
  ids: IdGenerator,
): Promise<void> {
  const invoices = await loadUnpaidInvoices(session, [account.id]);
  if (invoices.length === 0) return;
  const objects = invoices.map(({ id, accountId, accountRecordId }) => ({
    type: ObjectType.INVOICE,
    id,
    accountId,
    accountRecordId,
  }));
  await addSystemTag(session, objects, { definitionId: SystemTag.WRITTEN_OFF, ids });
  await changeWrittenOff(session, { invoices, isWrittenOff: true }, ids);
}

async function changeWrittenOff(
  session: WriteSession,
  { invoices, isWrittenOff }: { readonly invoices: readonly Invoice[]; readonly isWrittenOff: boolean },
  ids: IdGenerator,
): Promise<void> {
  const changes = invoices.map((before) => ({
    before,
    after: { ...before, isWrittenOff },
    isAdjusted: true,
  }));
  await session.invoices.setWrittenOff(changes.map(({ after }) => after));
  await changeInvoices(session, { changes }, ids);
}
