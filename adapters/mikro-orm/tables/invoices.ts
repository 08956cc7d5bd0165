import {
  type AddedItem,
  type CreditNote,
  type CreditNoteLine,
  coverageFields,
  creditNoteFields,
  type EInvoiceDelivery,
  eInvoiceDeliveryFields,
  type Invoice,
  type ItemBasis,
  type ItemDiscount,
  invoiceAnnouncementFields,
  invoiceFields,
  invoiceItemFields,
  invoicingStateFields,
  type New,
  type StoredCursor,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import {
  bigint,
  dateOrNull,
  type Field,
  fieldsOf,
  integer,
  integerOrNull,
  jsonRead,
  jsonReadOrNull,
  searchOnly,
  textOrNull,
  uuid,
} from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { readBasis, writeBasis } from './item-basis-text.ts';
import { ongoingChargeOrNull } from './ongoing-charges.ts';
import { RecordTable } from './record-table.ts';
import { usageReadingOrNull } from './usage/usage-intervals.ts';

/** An invoice with its creator and its creation day. Only searches use these columns. */
export type StoredInvoice = New<Invoice> & {
  readonly createdBy?: string | null;
  readonly createdDay?: number | null;
};

/** Returns the UTC day of an instant as the number of days since 1970. */
export function dayOfInstant(instantMs: number): number {
  return Math.floor(instantMs / 86_400_000);
}

/**
 * SQL condition for invoices whose balance equals the raw balance. All other invoices have the balance 0 (invoicing
 * §1.4 rule 6).
 */
export const COUNTED_INVOICES = `status = 'COMMITTED' and not is_migration and not is_written_off and raw_balance <> '0'`;

const invoiceColumns = {
  ...columnsOf(invoiceFields),
  ...searchOnly({ createdBy: textOrNull, createdDay: integerOrNull }),
};

export const invoicesTable = new RecordTable<StoredInvoice>('invoices', invoiceColumns, {
  uniques: {
    id: 'id',
    number: 'tenant_record_id, invoice_number',
    // invoicing §1.6 rule 7
    summary: `tenant_record_id, account_record_id where status = 'DRAFT' and is_parent_invoice`,
  },
  indexes: {
    page: 'tenant_record_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
    open: `tenant_record_id, account_record_id where raw_balance <> '0'`,
    linked: 'tenant_record_id, parent_invoice_id where parent_invoice_id is not null',
    delegated: 'tenant_record_id, account_record_id where contributed_amount is not null',
    draft: `tenant_record_id, account_record_id where status = 'DRAFT'`,
    // The search indexes (invoicing §15) have the same order as the result pages.
    invoice_date: 'tenant_record_id, invoice_date, record_id',
    target_date: 'tenant_record_id, target_date, record_id',
    currency: 'tenant_record_id, currency, record_id',
    status: 'tenant_record_id, status, record_id',
    created_by: 'tenant_record_id, created_by, record_id',
    // The index is by day, so that finding the first invoice of a range takes one lookup per day. Under row-level
    // security, PostgreSQL does not use an index on an expression that can fail, such as a division.
    created_day: 'tenant_record_id, created_day, record_id, created_date',
    migrated: 'tenant_record_id, record_id where is_migration',
    parent: 'tenant_record_id, record_id where is_parent_invoice',
    // The id of a group is the id of its first invoice.
    grouped: 'tenant_record_id, group_id, record_id where group_id <> id',
    // The index contains every column that a balance depends on, so that counting by balance does not read the rows.
    counted: `tenant_record_id, record_id, raw_balance, parent_invoice_id where ${COUNTED_INVOICES}`,
  },
});

/**
 * Returns a column for the basis of an item. It is read only on request, because the basis is rarely needed and is as
 * large as the rest of the item.
 */
function basisAside(name: string): Field<ItemBasis | undefined> {
  const column = textOrNull(name);
  return {
    columns: column.columns,
    isSearchOnly: true,
    write: (basis, cells) => column.write(basis === undefined ? null : writeBasis(basis), cells),
    read: (row) => {
      const stored = column.read(row);
      return stored === null ? undefined : readBasis(stored);
    },
  };
}

const itemColumns = {
  ...columnsOf(invoiceItemFields),
  discounts: jsonReadOrNull('discounts', (discounts: readonly ItemDiscount[]) =>
    discounts.map((each) => ({ ...each, amount: decimal(String(each.amount)) })),
  ),
  basis: basisAside('basis'),
};

export const invoiceItemsTable = new RecordTable<AddedItem>('invoice_items', itemColumns, {
  uniques: { id: 'id' },
  violations: {
    // The engine's ids are unique, so a plugin chose this id.
    id: {
      code: ErrorCode.INVOICE_ITEM_NOT_FOUND,
      message: (id) =>
        `An invoice plugin gave a new item ${id}, which an existing item already has; the plugin must use a new id or omit the id`,
    },
  },
  indexes: {
    invoice: 'tenant_record_id, invoice_id, record_id',
    linked: 'tenant_record_id, linked_item_id where linked_item_id is not null',
    account: 'tenant_record_id, account_record_id, record_id',
  },
});

const coverageColumns = { ...columnsOf(coverageFields), accountRecordId: bigint('account_record_id') };

export const coverageTable = new RecordTable('coverage', coverageColumns, {
  // invoicing §1.6 rules 2 and 3
  uniques: {
    recurring: `tenant_record_id, subscription_id, start_date where kind = 'RECURRING'`,
    fixed: `tenant_record_id, subscription_id, start_date, plan_name, phase_name, amount where kind = 'FIXED'`,
    free: `tenant_record_id, subscription_id, start_date, end_date, plan_name, phase_name where kind = 'FREE'`,
  },
});

const cursorColumns = {
  ...fieldsOf({
    accountRecordId: bigint,
    subscriptionId: uuid,
    settledThrough: dateOrNull,
    dirtyFrom: dateOrNull,
    nextDueDate: dateOrNull,
    catalogRevision: integerOrNull,
    itemsDate: dateOrNull,
    itemsCount: integer,
  }),
  ongoing: ongoingChargeOrNull(),
  usage: usageReadingOrNull(),
};

export const cursorsTable = new RecordTable<New<StoredCursor>>('invoicing_cursors', cursorColumns, {
  uniques: { subscription: 'tenant_record_id, subscription_id' },
  // The indexes omit the columns that a run writes.
  // PostgreSQL can therefore update rows without touching the indexes.
  indexes: { due: 'tenant_record_id, account_record_id' },
});

export const invoicingStatesTable = new RecordTable('invoicing_states', columnsOf(invoicingStateFields), {
  uniques: { account: 'tenant_record_id, account_id' },
});

/** Upcoming invoices that have already been announced by an event, one per row. */
export const invoiceAnnouncementsTable = new RecordTable(
  'told_invoices',
  columnsOf(invoiceAnnouncementFields),
  {
    uniques: { date: 'tenant_record_id, account_record_id, target_date' },
    indexes: { age: 'target_date' },
  },
);

const fields = {
  ...columnsOf(creditNoteFields),
  lines: jsonRead('lines', (lines: readonly CreditNoteLine[]) =>
    lines.map((line) => ({ ...line, amount: decimal(String(line.amount)) })),
  ),
};

export const creditNotesTable = new RecordTable<New<CreditNote>>('credit_notes', fields, {
  // invoicing §21 rule 3
  uniques: { id: 'id', number: 'tenant_record_id, credit_note_number' },
  indexes: {
    invoice: 'tenant_record_id, invoice_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
  },
});

export const eInvoiceDeliveriesTable = new RecordTable<New<EInvoiceDelivery>>(
  'e_invoice_deliveries',
  columnsOf(eInvoiceDeliveryFields),
  {
    // Each document has at most one delivery (invoicing §22 rule 9).
    uniques: {
      id: 'id',
      invoice: 'tenant_record_id, invoice_id where credit_note_id is null',
      note: 'tenant_record_id, credit_note_id where credit_note_id is not null',
    },
    indexes: {
      document: 'tenant_record_id, invoice_id, record_id',
      account: 'tenant_record_id, account_record_id, record_id',
    },
  },
);
