import {
  type New,
  type NewCatalogPart,
  type NewCatalogVersion,
  overridePlanFields,
  type StoredOverridePlan,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import {
  bigintOrNull,
  instantAt,
  instantAtOrNull,
  integerOrNull,
  oneOf,
  text,
  textOrNull,
  uuid,
} from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** A version as its row holds it. */
export interface CatalogVersionRow extends Omit<NewCatalogVersion, 'parts'> {
  readonly revision: number | null;
  /** Versions older than parts have their canonical XML, the others a composition. */
  readonly canonicalXml: string | null;
  /** JSON of a `CatalogComposition`. */
  readonly composition: string | null;
  /** When it was deleted or replaced; null: it is in the catalog. */
  readonly removedDate: Instant | null;
}

export const catalogVersionsTable = new RecordTable<CatalogVersionRow>(
  {
    name: 'catalog_versions',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        // catalog §17
        name: 'effective_date',
        columns: ['tenant_record_id', 'effective_date'],
        where: 'removed_date is null',
        violation: {
          code: ErrorCode.CATALOG_INVALID_FOR_TENANT,
          message: 'The tenant has a catalog version with this effective date already; choose another date',
        },
      },
    ],
  },
  {
    id: uuid('id'),
    effectiveDate: instantAt('effective_date'),
    uploadId: uuid('upload_id'),
    canonicalXml: textOrNull('canonical_xml'),
    composition: textOrNull('composition'),
    sourceText: textOrNull('source_text'),
    contentHash: text('content_hash'),
    revision: integerOrNull('revision'),
    createdDate: instantAt('created_date'),
    removedDate: instantAtOrNull('removed_date'),
  },
);

/** A part as its row holds it. */
export interface CatalogPartRow extends Omit<NewCatalogPart, 'shape'> {
  readonly shapeRecordId: number | null;
}

export const catalogPartsTable = new RecordTable<CatalogPartRow>(
  {
    name: 'catalog_parts',
    ofTenant: true,
    uniques: [{ name: 'content_hash', columns: ['tenant_record_id', 'content_hash'] }],
  },
  {
    contentHash: text('content_hash'),
    kind: oneOf('kind'),
    name: text('name'),
    forExisting: instantAtOrNull('for_existing'),
    shapeRecordId: bigintOrNull('shape_record_id'),
    text: text('text'),
  },
);

/** If another transaction was faster, the next attempt finds what it stored (catalog §17). */
const takenMeanwhile = {
  code: ErrorCode.BUSY,
  message: 'Another call made an override plan at the same time; try again',
};

export const overridePlansTable = new RecordTable<New<StoredOverridePlan>>(
  {
    name: 'override_plans',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'number', columns: ['tenant_record_id', 'number'], violation: takenMeanwhile },
      { name: 'plan_name', columns: ['tenant_record_id', 'plan_name'], violation: takenMeanwhile },
      {
        name: 'overrides',
        columns: ['tenant_record_id', 'parent_plan_name', 'override_hash'],
        violation: takenMeanwhile,
      },
    ],
  },
  columnsOf(overridePlanFields),
);
