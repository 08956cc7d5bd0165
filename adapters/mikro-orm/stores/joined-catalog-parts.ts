import type { CatalogPartKind, StoredCatalogPart } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import { numberOf, type Row, textOf } from '../sql/columns.ts';
import { raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import type { TenantScope } from '../tables/record-access.ts';

/** So few that the parts of the largest documents fit into one string; with 256 per row it took just as long. */
const PARTS_PER_ROW = 32;

/** No part contains them: names come from XML, which knows no such characters, and JSON writes them as `\u001e`, `\u001f`. */
const RECORD_SEPARATOR = '\u001e';
const UNIT_SEPARATOR = '\u001f';

const orEmpty = (column: string): string => `coalesce(cast(${column} as text), '')`;
const line = raw(
  ['record_id', 'kind', 'name', orEmpty('for_existing'), orEmpty('shape_record_id'), 'text'].join(
    ` || '${UNIT_SEPARATOR}' || `,
  ),
);

/**
 * Reads parts of a catalog, of which there may be hundreds of thousands, joined to a few long texts: as rows of their own
 * they would take the driver longer than all the rest of the work.
 */
export function partsStatement({ runner, tenantRecordId }: TenantScope, recordIds: readonly number[]): Sql {
  const groups: [string][] = [];
  for (let first = 0; first < recordIds.length; first += PARTS_PER_ROW) {
    groups.push([JSON.stringify(recordIds.slice(first, first + PARTS_PER_ROW))]);
  }
  const wanted = rowsAs('g', [{ name: 'record_ids', type: 'text', nullable: false }], groups);
  return sql`
    select (
      select string_agg(${line}, ${raw(`'${RECORD_SEPARATOR}'`)}) from bw_catalog_parts
      where +tenant_record_id = ${tenantRecordId}
        and ${raw(runner.dialect.isInJson('record_id', 'g.record_ids'))}
    ) as parts from ${wanted}`;
}

/** The parts of the rows of `partsStatement`. Their texts share the memory of the row that brought them. */
export function joinedParts(rows: readonly Row[]): readonly StoredCatalogPart[] {
  const parts: StoredCatalogPart[] = [];
  for (const row of rows) {
    if (row.parts === null) continue;
    const joined = new JoinedRecords(textOf(row.parts, 'parts'));
    while (!joined.isAtEnd) parts.push(nextPart(joined));
  }
  return parts;
}

function nextPart(joined: JoinedRecords): StoredCatalogPart {
  const recordId = numberOf(joined.nextUnit(), 'record_id');
  const kind = joined.nextUnit() as CatalogPartKind;
  const name = joined.nextUnit();
  const forExisting = joined.nextUnit();
  const shapeRecordId = joined.nextUnit();
  return {
    recordId,
    kind,
    name,
    forExisting: forExisting === '' ? null : instant(numberOf(forExisting, 'for_existing')),
    shapeRecordId: shapeRecordId === '' ? null : numberOf(shapeRecordId, 'shape_record_id'),
    text: joined.lastUnit(),
  };
}

/** Reads units of records one after the other. */
class JoinedRecords {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#position > this.#text.length;
  }

  nextUnit(): string {
    const end = this.#text.indexOf(UNIT_SEPARATOR, this.#position);
    assertInvariant(end >= 0, 'A part of a catalog has not come whole');
    return this.#until(end);
  }

  /** The last unit of a record, after which the next record begins. */
  lastUnit(): string {
    const end = this.#text.indexOf(RECORD_SEPARATOR, this.#position);
    return this.#until(end < 0 ? this.#text.length : end);
  }

  #until(end: number): string {
    const unit = this.#text.slice(this.#position, end);
    this.#position = end + 1;
    return unit;
  }
}
