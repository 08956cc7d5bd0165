import { EVERY_TENANT } from '../sql/connection.ts';

/** Setting that contains the record id of the tenant whose rows a transaction can access. */
export const TENANT_SETTING = 'billwright.tenant_record_id';

/**
 * Returns the condition for rows that the transaction may access: the rows of the tenant in the setting, or all rows
 * for `*`. The subqueries run once per statement.
 */
export function ofReachedTenant(column: string): string {
  const setting = `current_setting('${TENANT_SETTING}', true)`;
  return `${column} = (select nullif(nullif(${setting}, ''), '${EVERY_TENANT}')::bigint) or (select ${setting} = '${EVERY_TENANT}')`;
}
