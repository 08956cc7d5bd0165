import {
  catalogEntryFields,
  type EntryPhase,
  type EntryPrice,
  type New,
  type PlanRow,
  planRowFields,
} from '../../../lib/records/index.ts';
import { type Currency, type Decimal, decimal } from '../../../lib/values/money/index.ts';
import { jsonRead } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const catalogEntriesTable = new RecordTable('catalog_entries', columnsOf(catalogEntryFields), {
  // catalog §17
  uniques: { id: 'id', name: 'tenant_record_id, kind, name' },
  indexes: {
    account: 'tenant_record_id, account_record_id, record_id',
    named: 'tenant_record_id, name',
    parent: 'tenant_record_id, parent_id',
  },
});

const planRowColumns = {
  ...columnsOf(planRowFields, { effectiveDateForExistingSubscriptions: 'effective_date_for_existing' }),
  phases: jsonRead('phases', (stored: readonly EntryPhase[]) => stored.map(withDecimals)),
};

export const planRowsTable = new RecordTable<New<PlanRow>>('catalog_plan_rows', planRowColumns, {
  // catalog §17
  uniques: { id: 'id', order: 'tenant_record_id, plan_name, effective_date, created_order' },
  indexes: { since: 'tenant_record_id, since_revision' },
});

/** JSON columns return amounts as whole numbers or decimals. */
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
