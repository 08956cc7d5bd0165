import {
  type AccountInvoicingState,
  type AddedItem,
  type CoverageRow,
  coverageFields,
  type Invoice,
  type ItemBasis,
  invoiceFields,
  invoiceItemFields,
  invoicingStateFields,
  type New,
  type StoredCursor,
  type ToldInvoice,
  toldInvoiceFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import {
  aside,
  bigint,
  dateOrNull,
  type Field,
  integer,
  integerOrNull,
  textOrNull,
  uuid,
} from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { readBasis, writeBasis } from './item-basis-text.ts';
import { ongoingChargeOrNull } from './ongoing-charges.ts';
import { RecordTable } from './record-table.ts';
import { usageReadingOrNull } from './usage/usage-intervals.ts';

/** An invoice with who made it and on which day, for searches. */
export type StoredInvoice = New<Invoice> & {
  readonly createdBy?: string | null;
  readonly createdDay?: number | null;
};

/** The day of an instant in UTC, counted from 1970 on. */
export function dayOfInstant(instantMs: number): number {
  return Math.floor(instantMs / 86_400_000);
}

/** Which invoices count with their raw balance; all others have the balance 0 (invoicing §1.4 rule 6). */
export const COUNTED_INVOICES = `status = 'COMMITTED' and not is_migration and not is_written_off and raw_balance <> '0'`;

export const invoicesTable = new RecordTable<StoredInvoice>(
  {
    name: 'invoices',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'number', columns: ['tenant_record_id', 'invoice_number'] },
      // invoicing §1.6 rule 7
      {
        name: 'summary',
        columns: ['tenant_record_id', 'account_record_id'],
        where: `status = 'DRAFT' and is_parent_invoice`,
      },
    ],
    indexes: [
      { name: 'page', columns: ['tenant_record_id', 'record_id'] },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
      { name: 'open', columns: ['tenant_record_id', 'account_record_id'], where: `raw_balance <> '0'` },
      {
        name: 'linked',
        columns: ['tenant_record_id', 'parent_invoice_id'],
        where: 'parent_invoice_id is not null',
      },
      {
        name: 'delegated',
        columns: ['tenant_record_id', 'account_record_id'],
        where: 'contributed_amount is not null',
      },
      { name: 'draft', columns: ['tenant_record_id', 'account_record_id'], where: `status = 'DRAFT'` },
      // Those of searches (invoicing §15) have the order of their pages.
      { name: 'invoice_date', columns: ['tenant_record_id', 'invoice_date', 'record_id'] },
      { name: 'target_date', columns: ['tenant_record_id', 'target_date', 'record_id'] },
      { name: 'currency', columns: ['tenant_record_id', 'currency', 'record_id'] },
      { name: 'status', columns: ['tenant_record_id', 'status', 'record_id'] },
      { name: 'created_by', columns: ['tenant_record_id', 'created_by', 'record_id'] },
      {
        // By day, so that the first invoice of a range is found by asking each day of it, not each instant. A column, not an
        // expression: row-level security lets PostgreSQL look into an index by nothing that can fail, as a division can.
        name: 'created_day',
        columns: ['tenant_record_id', 'created_day', 'record_id', 'created_date'],
      },
      { name: 'migrated', columns: ['tenant_record_id', 'record_id'], where: 'is_migration' },
      { name: 'parent', columns: ['tenant_record_id', 'record_id'], where: 'is_parent_invoice' },
      {
        // The first invoice of a group has the group's id itself.
        name: 'grouped',
        columns: ['tenant_record_id', 'group_id', 'record_id'],
        where: 'group_id <> id',
      },
      {
        // With all that decides a balance, so that invoices are counted by it without being read.
        name: 'counted',
        columns: ['tenant_record_id', 'record_id', 'raw_balance', 'parent_invoice_id'],
        where: COUNTED_INVOICES,
      },
    ],
  },
  {
    ...columnsOf(invoiceFields),
    createdBy: aside(textOrNull('created_by')),
    createdDay: aside(integerOrNull('created_day')),
  },
);

/** The facts behind an amount are rarely read, and take as much room as the rest of the item. */
function basisAside(name: string): Field<ItemBasis | undefined> {
  const column = textOrNull(name);
  return {
    columns: column.columns,
    isKeptAside: true,
    write: (basis, cells) => column.write(basis === undefined ? null : writeBasis(basis), cells),
    read: (row) => {
      const stored = column.read(row);
      return stored === null ? undefined : readBasis(stored);
    },
  };
}

export const invoiceItemsTable = new RecordTable<AddedItem>(
  {
    name: 'invoice_items',
    ofTenant: true,
    uniques: [
      {
        name: 'id',
        columns: ['id'],
        // Ids of the engine's own are of no other item, so this one was chosen by a plugin.
        violation: {
          code: ErrorCode.INVOICE_ITEM_NOT_FOUND,
          message: 'An invoice plugin gave a new item an id that an item has already',
        },
      },
    ],
    indexes: [
      { name: 'invoice', columns: ['tenant_record_id', 'invoice_id', 'record_id'] },
      {
        name: 'linked',
        columns: ['tenant_record_id', 'linked_item_id'],
        where: 'linked_item_id is not null',
      },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
    ],
  },
  {
    ...columnsOf(invoiceItemFields),
    basis: basisAside('basis'),
  },
);

type StoredCoverage = CoverageRow & { readonly accountRecordId: number };

export const coverageTable = new RecordTable<StoredCoverage>(
  {
    name: 'coverage',
    ofTenant: true,
    // invoicing §1.6 rules 2 and 3
    uniques: [
      {
        name: 'recurring',
        columns: ['tenant_record_id', 'subscription_id', 'start_date'],
        where: `kind = 'RECURRING'`,
      },
      {
        name: 'fixed',
        columns: ['tenant_record_id', 'subscription_id', 'start_date', 'plan_name', 'phase_name', 'amount'],
        where: `kind = 'FIXED'`,
      },
      {
        name: 'free',
        columns: ['tenant_record_id', 'subscription_id', 'start_date', 'end_date', 'plan_name', 'phase_name'],
        where: `kind = 'FREE'`,
      },
    ],
  },
  {
    ...columnsOf(coverageFields),
    accountRecordId: bigint('account_record_id'),
  },
);

export const cursorsTable = new RecordTable<New<StoredCursor>>(
  {
    name: 'invoicing_cursors',
    ofTenant: true,
    uniques: [{ name: 'subscription', columns: ['tenant_record_id', 'subscription_id'] }],
    // Without columns that a run writes, so that PostgreSQL changes a row without touching the indexes.
    indexes: [{ name: 'due', columns: ['tenant_record_id', 'account_record_id'] }],
  },
  {
    accountRecordId: bigint('account_record_id'),
    subscriptionId: uuid('subscription_id'),
    settledThrough: dateOrNull('settled_through'),
    dirtyFrom: dateOrNull('dirty_from'),
    nextDueDate: dateOrNull('next_due_date'),
    catalogRevision: integerOrNull('catalog_revision'),
    itemsDate: dateOrNull('items_date'),
    itemsCount: integer('items_count'),
    ongoing: ongoingChargeOrNull(),
    usage: usageReadingOrNull(),
  },
);

export const invoicingStatesTable = new RecordTable<AccountInvoicingState>(
  {
    name: 'invoicing_states',
    ofTenant: true,
    uniques: [{ name: 'account', columns: ['tenant_record_id', 'account_id'] }],
  },
  columnsOf(invoicingStateFields),
);

/** A row for each invoice that was told of before it came. */
export const toldInvoicesTable = new RecordTable<ToldInvoice>(
  {
    name: 'told_invoices',
    ofTenant: true,
    uniques: [{ name: 'date', columns: ['tenant_record_id', 'account_record_id', 'target_date'] }],
    indexes: [{ name: 'age', columns: ['target_date'] }],
  },
  columnsOf(toldInvoiceFields),
);
