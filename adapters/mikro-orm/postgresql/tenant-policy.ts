import { EVERY_TENANT } from '../sql/connection.ts';

/** Setting that names the tenant whose rows a transaction reaches, by its record id. */
export const TENANT_SETTING = 'billwright.tenant_record_id';

/**
 * Condition on the rows that a transaction reaches: those of the tenant that the setting names, all if it says so, and
 * none if nothing was set. The subselects are run once per statement, not per row.
 */
export function ofReachedTenant(column: string): string {
  const setting = `current_setting('${TENANT_SETTING}', true)`;
  return `${column} = (select nullif(nullif(${setting}, ''), '${EVERY_TENANT}')::bigint) or (select ${setting} = '${EVERY_TENANT}')`;
}
