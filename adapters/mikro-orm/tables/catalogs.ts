import type { NewCatalogPart, NewCatalogVersion } from '../../../lib/catalog/stored-version.ts';
import { ErrorCode } from '../../../lib/errors/index.ts';
import { instantAt, instantAtOrNull, oneOf, text, textOrNull, uuid } from '../columns.ts';
import { RecordTable } from './record-table.ts';

/** A version as its row holds it. */
export interface CatalogVersionRow extends Omit<NewCatalogVersion, 'parts'> {
  /** Versions of before there were parts have their canonical XML, the others a composition. */
  readonly canonicalXml: string | null;
  /** JSON of a `CatalogComposition`. */
  readonly composition: string | null;
}

export const catalogVersionsTable = new RecordTable<CatalogVersionRow>(
  {
    name: 'catalog_versions',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        // catalog.md §17
        name: 'effective_date',
        columns: ['tenant_record_id', 'effective_date'],
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
    createdDate: instantAt('created_date'),
  },
);

export const catalogPartsTable = new RecordTable<NewCatalogPart>(
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
    text: text('text'),
  },
);
