import { type NewCatalogPart, overridePlanFields } from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import {
  bigintOrNull,
  fieldsOf,
  instantAt,
  instantAtOrNull,
  integerOrNull,
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
  /** Set for versions from before catalog parts; all others have a composition. */
  canonicalXml: textOrNull,
  /** JSON of a `CatalogComposition`. */
  composition: textOrNull,
  sourceText: textOrNull,
  contentHash: text,
  revision: integerOrNull,
  createdDate: instantAt,
  /** When the version was deleted or replaced; null while it is in the catalog. */
  removedDate: instantAtOrNull,
});

export type CatalogVersionRow = ValuesOf<typeof versionFields>;

export const catalogVersionsTable = new RecordTable('catalog_versions', versionFields, {
  // catalog §17
  uniques: { id: 'id', effective_date: 'tenant_record_id, effective_date where removed_date is null' },
  violations: {
    effective_date: {
      code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
      message: 'The tenant has a catalog version with this effective date already; choose another date',
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

/** The next attempt finds what the faster transaction stored (catalog §17). */
const isTaken = {
  code: ErrorCode.BUSY,
  message: 'Another call made an override plan at the same time; try again',
};

export const overridePlansTable = new RecordTable('override_plans', columnsOf(overridePlanFields), {
  uniques: {
    id: 'id',
    number: 'tenant_record_id, number',
    plan_name: 'tenant_record_id, plan_name',
    overrides: 'tenant_record_id, parent_plan_name, override_hash',
  },
  violations: { number: isTaken, plan_name: isTaken, overrides: isTaken },
});
