import { setImmediate } from 'node:timers/promises';
import type { CatalogReads, CatalogWrites } from '../../../lib/ports/storage/index.ts';
import {
  type CatalogComposition,
  type CatalogPartKind,
  ChangeType,
  type NewCatalogPart,
  type NewCatalogVersion,
  type StoredCatalogContent,
  type StoredCatalogPart,
  type StoredOverridePlan,
} from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { CATALOG_PARTS_AT_ONCE } from '../../../lib/values/limits.ts';
import { type Instant, instant } from '../../../lib/values/time/index.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import {
  bigint,
  inputColumns,
  instantAt,
  integerOrNull,
  numberIn,
  numberOf,
  type Row,
  rowReader,
  text,
  textIn,
  uuid,
} from '../sql/columns.ts';
import { isIn, raw, rowsAs, sql } from '../sql/sql.ts';
import { catalogPartsTable, catalogVersionsTable, overridePlansTable } from '../tables/catalogs.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { tenantsTable } from '../tables/system.ts';
import type { RevisionsOfSession } from './tenant-settings.ts';

const readVersion = rowReader({
  recordId: bigint,
  id: uuid,
  effectiveDate: instantAt,
  uploadId: uuid,
  contentHash: text,
  revision: integerOrNull,
  createdDate: instantAt,
});

const VERSIONS = 'TENANT_KVS';

export function catalogReads(scope: TenantScope, revisions: RevisionsOfSession): CatalogReads {
  const { runner, tenantRecordId } = scope;
  return {
    versions: async () =>
      runner.readAs(readVersion)`
        select record_id, id, effective_date, upload_id, content_hash, revision, created_date from bw_catalog_versions
        where tenant_record_id = ${tenantRecordId} and removed_date is null order by effective_date`,
    contents: async (versionRecordIds) => {
      if (versionRecordIds.length === 0) return [];
      return runner.readAs(contentOf)`
        select record_id, canonical_xml, composition from bw_catalog_versions
        where +tenant_record_id = ${tenantRecordId} and ${isIn('record_id', 'bigint', versionRecordIds)}`;
    },
    parts: async (recordIds) => {
      if (recordIds.length === 0) return [];
      return joinedParts(await runner.rows(partsStatement(scope, recordIds)));
    },
    revision: async () => (await revisions.read()).catalogRevision,
    findOverridePlans: async (planNames) => scope.selectBy(overridePlansTable, 'planName', planNames),
    findOverridePlansOf: async (definitions) => {
      if (definitions.length === 0) return [];
      const parents = [...new Set(definitions.map(({ parentPlanName }) => parentPlanName))];
      const hashes = [...new Set(definitions.map(({ overrideHash }) => overrideHash))];
      const found = await scope.select(
        overridePlansTable,
        sql`${isIn('parent_plan_name', 'text', parents)} and ${isIn('override_hash', 'text', hashes)}`,
      );
      const wanted = new Set(definitions.map(definitionKey));
      return found.filter((each) => wanted.has(definitionKey(each)));
    },
    lastOverridePlanNumber: async () => {
      return (
        (await scope.runner.firstAs((row) => numberIn(row, 'number'))`
        select number from bw_override_plans
        where ${scope.ofTenant} order by number desc limit 1`) ?? 0
      );
    },
    usesGlobalDefault: async () => {
      const [tenant] = await runner.rows(sql`
        select use_global_default from bw_tenants where record_id = ${tenantRecordId}`);
      assertInvariant(tenant, `Tenant ${tenantRecordId} does not exist`);
      return tenantsTable.fields.useGlobalDefault.read(tenant);
    },
    firstStored: async () => {
      const [first] = await runner.rows(sql`
        select created_date from bw_catalog_versions
        where tenant_record_id = ${tenantRecordId} order by record_id limit 1`);
      return first === undefined ? null : catalogVersionsTable.fields.createdDate.read(first);
    },
    sources: async () => {
      const rows = await runner.rows(sql`
        select upload_id, effective_date, source_text, removed_date from bw_catalog_versions
        where tenant_record_id = ${tenantRecordId} and upload_id in (
          select upload_id from bw_catalog_versions
          where tenant_record_id = ${tenantRecordId} and removed_date is null)
        order by record_id`);
      const { fields } = catalogVersionsTable;
      return rows.map((row) => ({
        uploadId: fields.uploadId.read(row),
        effectiveDate: fields.effectiveDate.read(row),
        sourceText: fields.sourceText.read(row),
        isLive: fields.removedDate.read(row) === null,
      }));
    },
  };
}

export function catalogWrites(scope: WriteScope, revisions: RevisionsOfSession): CatalogWrites {
  return {
    lock: () => revisions.lock(),
    lockForDeletion: () => revisions.lock('forDeletion'),
    keepPlans: () => revisions.lock('forKeyShare'),
    insert: async (versions) => {
      const [first] = versions;
      assertInvariant(first, 'An upload must contain at least one catalog version');
      const revision = await raisedRevision(revisions);
      await insertVersions(scope, versions, () => revision);
      return first.id;
    },
    replace: async ({ removed, added }) => {
      const revision = await raisedRevision(revisions);
      const heldSince =
        removed.length > 0 ? await removeVersions(scope, removed) : new Map<Instant, number | null>();
      const sinceOf = ({ effectiveDate }: NewCatalogVersion): number | null =>
        heldSince.has(effectiveDate) ? (heldSince.get(effectiveDate) ?? null) : revision;
      if (added.length > 0) await insertVersions(scope, added, sinceOf);
    },
    leaveGlobalDefault: () => revisions.set(sql`use_global_default = ${false}`),
    insertOverridePlans: async (plans) => {
      if (plans.length === 0) return;
      const recordIds = await scope.insert(overridePlansTable, plans);
      const changeType = ChangeType.INSERT;
      for (const [index, { id }] of plans.entries())
        scope.noteBareChange('OVERRIDE_PLANS', { id, recordId: recordIds[index] ?? 0, changeType });
    },
  };
}

async function raisedRevision(revisions: RevisionsOfSession) {
  await revisions.set(sql`catalog_revision = catalog_revision + 1`);
  return (await revisions.read()).catalogRevision;
}

async function insertVersions(
  scope: WriteScope,
  versions: readonly NewCatalogVersion[],
  revisionOf: (version: NewCatalogVersion) => number | null,
): Promise<void> {
  const partIds = await storeParts(scope, allParts(versions));
  const recordIds = await scope.insert(
    catalogVersionsTable,
    versions.map((version) => ({
      ...rowOf(version, partIds),
      sourceText: null,
      revision: revisionOf(version),
    })),
  );
  for (const { id, sourceText } of versions)
    if (sourceText !== null) await setSourceText(scope, id, sourceText);
  for (const [index, { id }] of versions.entries())
    scope.noteBareChange(VERSIONS, { id, recordId: recordIds[index] ?? 0, changeType: ChangeType.INSERT });
}

/**
 * Stores the source text. The text is bound separately, because it is several megabytes long and a row would be
 * converted to JSON and back.
 */
async function setSourceText(scope: WriteScope, id: Uuid, text: string) {
  await setImmediate();
  await scope.runner.run(sql`
    update bw_catalog_versions set source_text = ${text} where ${scope.haveIds([id])}`);
}

/** Removes versions. Returns their revisions by effective date. */
async function removeVersions(scope: WriteScope, ids: readonly Uuid[]) {
  const { rows } = await scope.runner.run(sql`
    update bw_catalog_versions set removed_date = ${scope.authorship.createdDate}
    where ${scope.haveIds(ids)} and removed_date is null
    returning id, record_id, effective_date, revision`);
  assertInvariant(
    rows.length === ids.length,
    `Only ${rows.length} of ${ids.length} catalog versions were found`,
  );
  for (const row of rows) {
    const id = catalogVersionsTable.fields.id.read(row);
    const recordId = numberIn(row, 'record_id');
    scope.noteBareChange(VERSIONS, { id, recordId, changeType: ChangeType.DELETE });
  }
  const { effectiveDate, revision } = catalogVersionsTable.fields;
  return new Map(rows.map((row) => [effectiveDate.read(row), revision.read(row)]));
}

/** Stores the parts that the tenant does not yet have. Returns the record ids of all parts by content hash. */
async function storeParts(scope: WriteScope, parts: Iterable<NewCatalogPart>) {
  const all = [...new Map(Array.from(parts, (part) => [part.contentHash, part])).values()];
  const ids = new Map<string, number>();
  for (let first = 0; first < all.length; first += CATALOG_PARTS_AT_ONCE) {
    const some = all.slice(first, first + CATALOG_PARTS_AT_ONCE);
    for (const [hash, recordId] of await storeSomeParts(scope, some)) ids.set(hash, recordId);
    // An embedded database blocks the event loop while it writes.
    if (first + CATALOG_PARTS_AT_ONCE < all.length) await setImmediate();
  }
  return ids;
}

async function storeSomeParts(scope: WriteScope, parts: readonly NewCatalogPart[]) {
  const wanted = new Map(parts.map((part) => [part.contentHash, part]));
  const stored = await scope.runner.rows(sql`
    select content_hash, record_id from bw_catalog_parts
    where ${scope.ofTenant} and ${isIn('content_hash', 'text', [...wanted.keys()])}`);
  const ids = new Map(stored.map(idByHash));
  const missing = [...wanted.values()].filter(({ contentHash }) => !ids.has(contentHash));
  if (missing.length === 0) return ids;
  const shapes = missing.flatMap(({ shape }) => shape ?? []);
  const idsOfShapes = shapes.length > 0 ? await storeParts(scope, shapes) : new Map<string, number>();
  const rows = missing.map(({ shape, ...part }) => ({
    ...part,
    shapeRecordId: shape === null ? null : idOf(shape, idsOfShapes),
  }));
  const added = await scope.runner.run(sql`
    ${scope.insertInto(catalogPartsTable, rows)} returning content_hash, record_id`);
  for (const [hash, recordId] of added.rows.map(idByHash)) ids.set(hash, recordId);
  return ids;
}

function allParts(versions: readonly NewCatalogVersion[]): readonly NewCatalogPart[] {
  return versions.flatMap(({ parts: { frame, products, plans } }) => [frame, ...products, ...plans]);
}

function idOf({ contentHash, kind, name }: NewCatalogPart, ids: ReadonlyMap<string, number>) {
  const recordId = ids.get(contentHash);
  assertInvariant(recordId !== undefined, `The ${kind} ${name} of a catalog has not been stored`);
  return recordId;
}

function idByHash(row: Row): readonly [hash: string, recordId: number] {
  return [textIn(row, 'content_hash'), numberIn(row, 'record_id')];
}

function rowOf(version: NewCatalogVersion, partIds: ReadonlyMap<string, number>) {
  const { parts, ...row } = version;
  const composition: CatalogComposition = {
    frame: idOf(parts.frame, partIds),
    products: parts.products.map((part) => idOf(part, partIds)),
    plans: parts.plans.map((part) => idOf(part, partIds)),
  };
  return { ...row, canonicalXml: null, composition: JSON.stringify(composition), removedDate: null };
}

function contentOf(row: Row): StoredCatalogContent {
  const recordId = numberIn(row, 'record_id');
  if (row.composition === null) {
    return { recordId, content: { canonicalXml: textIn(row, 'canonical_xml') } };
  }
  const composition: CatalogComposition = JSON.parse(textIn(row, 'composition'));
  return { recordId, content: composition };
}

function definitionKey({
  parentPlanName,
  overrideHash,
}: Pick<StoredOverridePlan, 'parentPlanName' | 'overrideHash'>): string {
  return `${overrideHash} ${parentPlanName}`;
}

/**
 * Number of parts per row. With this number, the parts of the largest documents fit into one string. 256 parts per row
 * were not faster.
 */
const PARTS_PER_ROW = 32;

/** Separator that never occurs in the data: XML names cannot contain it, and JSON escapes it. */
const RECORD_SEPARATOR = '\u001e';
const UNIT_SEPARATOR = '\u001f';

const orEmpty = (column: string): string => `coalesce(cast(${column} as text), '')`;
const line = raw(
  ['record_id', 'kind', 'name', orEmpty('for_existing'), orEmpty('shape_record_id'), 'text'].join(
    ` || '${UNIT_SEPARATOR}' || `,
  ),
);

/**
 * Returns a statement that joins the parts into a few long texts. Reading hundreds of thousands of parts as separate
 * rows would take longer than all other work on the catalog.
 */
function partsStatement({ runner, tenantRecordId }: TenantScope, recordIds: readonly number[]) {
  const groups: [string][] = [];
  for (let first = 0; first < recordIds.length; first += PARTS_PER_ROW) {
    groups.push([JSON.stringify(recordIds.slice(first, first + PARTS_PER_ROW))]);
  }
  const wanted = rowsAs('g', inputColumns({ record_ids: 'text' }), groups);
  return sql`
    select (
      select string_agg(${line}, ${raw(`'${RECORD_SEPARATOR}'`)}) from bw_catalog_parts
      where +tenant_record_id = ${tenantRecordId}
        and ${raw(runner.dialect.isInJson('record_id', 'g.record_ids'))}
    ) as parts from ${wanted}`;
}

/** Splits the rows of `partsStatement` into parts. The parts share the memory of their rows. */
function joinedParts(rows: readonly Row[]): readonly StoredCatalogPart[] {
  return rows.flatMap((row) =>
    row.parts === null ? [] : textIn(row, 'parts').split(RECORD_SEPARATOR).map(partOf),
  );
}

function partOf(record: string): StoredCatalogPart {
  const [recordId, kind, name = '', forExisting, shapeRecordId, text] = record.split(UNIT_SEPARATOR);
  assertInvariant(text !== undefined, 'A part of a catalog is incomplete');
  return {
    recordId: numberOf(recordId, 'record_id'),
    kind: kind as CatalogPartKind,
    name,
    forExisting: forExisting === '' ? null : instant(numberOf(forExisting, 'for_existing')),
    shapeRecordId: shapeRecordId === '' ? null : numberOf(shapeRecordId, 'shape_record_id'),
    text,
  };
}
