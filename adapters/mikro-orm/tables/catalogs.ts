import {
  catalogEntryFields,
  type EntryPhase,
  type EntryPrice,
  type New,
  type NewCatalogPart,
  overridePlanFields,
  type PlanRow,
  planRowFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { type Currency, type Decimal, decimal } from '../../../lib/values/money/index.ts';
import {
  bigintOrNull,
  fieldsOf,
  instantAt,
  instantAtOrNull,
  integerOrNull,
  jsonRead,
  oneOf,
  text,
  textOrNull,
  uuid,
  type ValuesOf,
} from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

const versionFields = fieldsOf({
  id: uuid,
  effectiveDate: instantAt,
  uploadId: uuid,
  /**
   * XML of a version that was stored before versions were divided into parts. All other versions have a composition.
   */
  canonicalXml: textOrNull,
  /** JSON of a `CatalogComposition`, which lists the parts of the version. */
  composition: textOrNull,
  sourceText: textOrNull,
  contentHash: text,
  revision: integerOrNull,
  createdDate: instantAt,
  /**
   * The time at which the version was deleted or replaced. The value is null while the version is part of the
   * catalog.
   */
  removedDate: instantAtOrNull,
});

export type CatalogVersionRow = ValuesOf<typeof versionFields>;

export const catalogVersionsTable = new RecordTable('catalog_versions', versionFields, {
  // catalog §17
  uniques: { id: 'id', effective_date: 'tenant_record_id, effective_date where removed_date is null' },
  violations: {
    effective_date: {
      code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
      message: () =>
        'The tenant already has a catalog version with this effective date; choose a different date',
    },
  },
});

const partFields = fieldsOf({
  contentHash: text,
  kind: oneOf<NewCatalogPart['kind']>,
  name: text,
  forExisting: instantAtOrNull,
  shapeRecordId: bigintOrNull,
  text,
});

export const catalogPartsTable = new RecordTable('catalog_parts', partFields, {
  uniques: { content_hash: 'tenant_record_id, content_hash' },
});

/**
 * The error for a plan that another transaction stored at the same time. The next attempt finds that plan (catalog
 * §17).
 */
const overridePlanBusy = {
  code: ErrorCode.BUSY,
  message: () => 'Another request created an override plan at the same time; try again',
};

export const overridePlansTable = new RecordTable('override_plans', columnsOf(overridePlanFields), {
  uniques: {
    id: 'id',
    number: 'tenant_record_id, number',
    plan_name: 'tenant_record_id, plan_name',
    overrides: 'tenant_record_id, parent_plan_name, override_hash',
  },
  violations: { number: overridePlanBusy, plan_name: overridePlanBusy, overrides: overridePlanBusy },
});

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

/**
 * Returns the phase with all amounts as decimals. JSON columns return an amount as a number if it is a whole number.
 */
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
