import type { StoredCatalogVersion } from '../../../lib/catalog/stored-version.ts';
import { ErrorCode } from '../../../lib/errors/index.ts';
import type { New } from '../../../lib/ports/storage/index.ts';
import { instantAt, text, textOrNull, uuid } from '../columns.ts';
import { RecordTable } from './record-table.ts';

export const catalogVersionsTable = new RecordTable<New<StoredCatalogVersion>>(
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
    canonicalXml: text('canonical_xml'),
    sourceText: textOrNull('source_text'),
    contentHash: text('content_hash'),
    createdDate: instantAt('created_date'),
  },
);
