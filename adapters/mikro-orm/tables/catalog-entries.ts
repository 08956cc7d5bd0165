import {
  type CatalogEntry,
  catalogEntryFields,
  type EntryPhase,
  type EntryPrice,
  type New,
  type PlanRow,
  planRowFields,
} from '../../../lib/records/index.ts';
import { type Currency, type Decimal, decimal } from '../../../lib/values/money/index.ts';
import { type Field, json } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const catalogEntriesTable = new RecordTable<New<CatalogEntry>>(
  {
    name: 'catalog_entries',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      // catalog §17
      { name: 'name', columns: ['tenant_record_id', 'kind', 'name'] },
    ],
    indexes: [
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
      { name: 'named', columns: ['tenant_record_id', 'name'] },
      { name: 'parent', columns: ['tenant_record_id', 'parent_id'] },
    ],
  },
  columnsOf(catalogEntryFields),
);

export const planRowsTable = new RecordTable<New<PlanRow>>(
  {
    name: 'catalog_plan_rows',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        // catalog §17
        name: 'order',
        columns: ['tenant_record_id', 'plan_name', 'effective_date', 'created_order'],
      },
    ],
    indexes: [{ name: 'since', columns: ['tenant_record_id', 'since_revision'] }],
  },
  {
    ...columnsOf(planRowFields, { effectiveDateForExistingSubscriptions: 'effective_date_for_existing' }),
    phases: phases('phases'),
  },
);

/** Amounts come out of a document as whole numbers or decimals. */
function phases(name: string): Field<readonly EntryPhase[]> {
  const document = json<readonly EntryPhase[]>(name);
  return { ...document, read: (row) => document.read(row).map(withDecimals) };
}

function withDecimals(phase: EntryPhase): EntryPhase {
  return {
    ...phase,
    fixedPrices: phase.fixedPrices.map(exactPrice),
    recurringPrices: phase.recurringPrices && {
      ...phase.recurringPrices,
      prices: phase.recurringPrices.prices.map(exactPrice),
    },
    usages: phase.usages.map((usage) => ({
      ...usage,
      tiers: usage.tiers.map((tier) => ({
        ...tier,
        blocks: tier.blocks.map((block) => ({ ...block, prices: block.prices.map(exactPrice) })),
      })),
    })),
  };
}

function exactPrice(price: { readonly currency: Currency; readonly value: number | Decimal }): EntryPrice {
  return { currency: price.currency, value: decimal(price.value) };
}
