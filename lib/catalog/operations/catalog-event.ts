import { BusEventType, type EventPayload, type NewBusEvent } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** Key of the tenant value under which bus events name catalogs (§13 rule 4). */
const CATALOG_KEY = 'CATALOG';

/**
 * The bus event that the tenant's catalog has changed (§13 rule 4).
 * @param objectId id of the catalog row.
 * @param catalogRevision the tenant's, as raised by the change.
 */
export function catalogChanged(objectId: Uuid | null, catalogRevision: number): NewBusEvent {
  return {
    type: BusEventType.TENANT_CONFIG_CHANGE,
    accountRecordId: null,
    payload: { accountId: null, objectId, metaData: { key: CATALOG_KEY }, catalogRevision },
  };
}

/** The bus event of a deletion, published before `catalogChanged` (§12 rule 6). */
export function catalogDeleted(): NewBusEvent {
  return {
    type: BusEventType.TENANT_CONFIG_DELETION,
    accountRecordId: null,
    payload: { accountId: null, objectId: null, metaData: { key: CATALOG_KEY } },
  };
}

/** The revision that the change of the catalog made; null if the event does not tell. */
export function catalogRevisionOf({ catalogRevision }: EventPayload): number | null {
  return typeof catalogRevision === 'number' ? catalogRevision : null;
}

/** True if a TENANT_CONFIG_CHANGE with this payload is about the catalog. */
export function isCatalogChange(payload: EventPayload): boolean {
  const { metaData } = payload;
  return (
    typeof metaData === 'object' && metaData !== null && 'key' in metaData && metaData.key === CATALOG_KEY
  );
}
