import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { InvoiceStatus } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import { type CreditingItem, creditNotesOf, isCrediting } from '../credit/credit-notes.ts';

/** An invoice before and after a transaction, with the items that it has got. */
export interface NotedChange {
  readonly before: ChangedInvoice['before'];
  readonly after: Pick<ChangedInvoice['after'], 'id' | 'status'>;
  readonly newItems?: readonly CreditingItem[];
}

/**
 * Writes the credit notes of invoices that have changed (§21), as the last records of the transaction: the tenant's counter
 * of them is locked until it ends. No statement where nothing is credited, nor for a tenant without credit notes but the one
 * that reads which settings are in force, if none has yet; else a constant number.
 */
export async function writeCreditNotes(
  session: WriteSession,
  changes: readonly NotedChange[],
  ids: IdGenerator,
): Promise<void> {
  const voided = changes.flatMap(({ before, after }) =>
    before?.status === InvoiceStatus.COMMITTED && after.status === InvoiceStatus.VOID ? [before] : [],
  );
  const committed = changes.flatMap(({ before, after }) =>
    before?.status === InvoiceStatus.DRAFT && after.status === InvoiceStatus.COMMITTED ? [before] : [],
  );
  const added = changes
    .filter(({ after }) => after.status === InvoiceStatus.COMMITTED)
    .flatMap(({ newItems = [] }) => newItems.filter(isCrediting));
  if (voided.length + committed.length + added.length === 0) return;
  if (!(await session.creditNotes.areWritten())) return;
  const known = [...voided, ...committed];
  const stored = known.length === 0 ? [] : await session.invoices.findItems(known.map(({ id }) => id));
  const itemsOf = Map.groupBy(stored, ({ invoiceId }) => invoiceId);
  const addedIds = new Set(added.map(({ id }) => id));
  // The repairs of a draft count from its commit on.
  const items = [
    ...added,
    ...committed.flatMap(({ id }) =>
      (itemsOf.get(id) ?? []).filter((item) => isCrediting(item) && !addedIds.has(item.id)),
    ),
  ];
  const linked = await session.invoices.findItemsByIds([
    ...new Set(items.flatMap(({ linkedItemId }) => linkedItemId ?? [])),
  ]);
  const before = new Map(changes.map((change) => [change.after.id, change.before]));
  const elsewhere = await session.invoices.findByIds([
    ...new Set(linked.map(({ invoiceId }) => invoiceId).filter((id) => !before.has(id))),
  ]);
  const invoices = [...elsewhere, ...[...before.values()].filter((each) => each !== null)];
  const notes = creditNotesOf({
    items,
    voided: voided.map((invoice) => ({ invoice, items: itemsOf.get(invoice.id) ?? [] })),
    linked: new Map(linked.map((item) => [item.id, item])),
    invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])),
  });
  if (notes.length === 0) return;
  const accounts = await session.accounts.findByIds([
    ...new Set(notes.map(({ invoice }) => invoice.accountId)),
  ]);
  const zones = new Map(accounts.map(({ id, timeZone }) => [id, timeZone]));
  const now = session.authorship.createdDate;
  const first = await session.creditNotes.takeNumbers(notes.length);
  await session.creditNotes.insert(
    notes.map(({ invoice, ...note }, index) => {
      const zone = zones.get(invoice.accountId);
      assertInvariant(zone !== undefined, `Account ${invoice.accountId} is gone`);
      return {
        ...note,
        id: ids.next(),
        accountId: invoice.accountId,
        accountRecordId: invoice.accountRecordId,
        invoiceId: invoice.id,
        creditNoteNumber: first + index,
        creditNoteDate: localDateOf(now, zone),
        currency: invoice.currency,
        createdDate: now,
      };
    }),
  );
}
